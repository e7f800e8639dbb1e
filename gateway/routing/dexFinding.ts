/** `unknown`: nothing here could tell. */
export type DexVerdict = 'right' | 'missing' | 'different' | 'unknown'
/** What one look at a configured exchange came to. */
export type DexFinding = {
  readonly dex: string
  readonly check: 'code' | 'pools' | 'price' | 'swap'
  readonly verdict: DexVerdict
  readonly found: string
}
export type Look = Omit<DexFinding, 'dex' | 'check'>
