import { type Address, type Chain, type Client, hexToString, type Transport, trim } from 'viem'
import { askInParts } from './askInParts.ts'
import { callLens } from './lens.ts'

/** A token as the chain describes it. */
export type TokenInfo = {
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

/** Of 60,000 gas or so each. One that is made to burn gas takes 600,000: those behind it have another call. */
const tokensPerCall = 120
const longestSymbol = 32
const wordBytes = 32

/**
 * Turns whatever `symbol()` answered into something printable: ABI strings and bytes32, at most 32
 * characters, control and bidirectional characters removed. Empty when nothing is left.
 */
export function parseSymbol(data: `0x${string}`): string {
  const bytes = Buffer.from(data.slice(2), 'hex')
  const text = isAbiString(bytes) ? readAbiString(bytes) : hexToString(trimmed(bytes))
  const visible = text.normalize('NFC').replace(/[\p{C}\p{Z}\uFFFD]/gu, '')
  return [...visible].slice(0, longestSymbol).join('')
}

function isAbiString(bytes: Buffer): boolean {
  if (bytes.length < 2 * wordBytes) return false
  return bytes.readBigUInt64BE(24) === 32n && bytes.subarray(0, 24).every((byte) => byte === 0)
}

function readAbiString(bytes: Buffer): string {
  const length = bytes.readBigUInt64BE(2 * wordBytes - 8)
  const end = 2 * wordBytes + Number(length < 1_000n ? length : 1_000n)
  return bytes.subarray(2 * wordBytes, end).toString('utf8')
}

function trimmed(bytes: Buffer): `0x${string}` {
  return trim(`0x${bytes.subarray(0, wordBytes).toString('hex')}`, { dir: 'right' })
}

/** Decimals and symbols; what has no sane `decimals()` is no token and left out. */
export async function readTokens(
  { client }: { readonly client: Client<Transport, Chain> },
  { tokens, blockNumber }: { readonly tokens: readonly Address[]; readonly blockNumber: bigint },
): Promise<TokenInfo[]> {
  const answers = await askInParts(
    { client },
    {
      items: tokens,
      size: tokensPerCall,
      blockNumber,
      ask: (part) => callLens(client, { functionName: 'readTokens', args: [part], blockNumber }),
    },
  )
  return answers.flatMap((answer, index) => {
    const address = tokens[index]
    if (!address || !answer?.ok || answer.decimals > 77n) return []
    const { decimals, symbol } = answer
    return [{ address, decimals: Number(decimals), symbol: parseSymbol(symbol) }]
  })
}
