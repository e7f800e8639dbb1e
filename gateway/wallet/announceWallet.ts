import type { Provider } from './testWallet.ts'

export type WalletInfo = {
  readonly uuid: string
  readonly name: string
  /** A data URI. */
  readonly icon: string
  readonly rdns: string
}

const icon = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E'

/** Has pages discover the provider (EIP-6963), now and whenever they ask; what it returns stops that. */
export function announceWallet(
  provider: Provider,
  { name = 'Forkyard', rdns = 'dev.forkyard.wallet' }: Partial<WalletInfo> = {},
): () => void {
  const info: WalletInfo = { uuid: crypto.randomUUID(), name, icon, rdns }
  const detail = Object.freeze({ info: Object.freeze(info), provider })
  const page: EventTarget = globalThis as unknown as EventTarget
  const announce = () =>
    void page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  page.addEventListener('eip6963:requestProvider', announce)
  announce()
  return () => page.removeEventListener('eip6963:requestProvider', announce)
}
