import type { RpcCall } from './readReply.ts'

/** What a call lays over an address, where it lays nothing but code over one. */
type Laid = { readonly address: string; readonly code: string; readonly block: bigint }

const askAgainMs = 600_000

export function readLaid({ method, params }: RpcCall): Laid | undefined {
  if (method !== 'eth_call' || !Array.isArray(params) || params.length !== 3) return undefined
  const [, block, overrides] = params as readonly unknown[]
  if (typeof block !== 'string' || !block.startsWith('0x')) return undefined
  const entries = Object.entries(overrides ?? {}) as [string, Readonly<Record<string, unknown>>][]
  const [first] = entries
  if (!first || entries.length > 1) return undefined
  const [address, fields] = first
  const { code } = fields
  if (typeof code !== 'string' || Object.keys(fields).length > 1) return undefined
  return { address, code, block: BigInt(block) }
}

/**
 * A call need not bring the code that stands where it would be laid. Whether it does is asked once in a
 * while, at the block of a call: what came later says nothing of an earlier block.
 */
export function createStandingCode({
  ask,
  now,
}: {
  /** The code at an address and a block; undefined where the node does not tell. */
  readonly ask: (address: string, block: string) => Promise<string | undefined>
  readonly now: () => number
}) {
  const standing = new Map<string, Laid>()
  const askedAtMs = new Map<string, number>()

  function look(laid: Laid): void {
    if (now() - (askedAtMs.get(laid.address) ?? Number.NEGATIVE_INFINITY) < askAgainMs) return
    askedAtMs.set(laid.address, now())
    ask(laid.address, `0x${laid.block.toString(16)}`)
      .then((code) => {
        if (code === laid.code) standing.set(laid.address, laid)
      })
      // A node that does not say is asked with the code, as before.
      .catch(() => undefined)
  }

  return {
    /** The call without the code, where that is known to stand; undefined where it is not. */
    shorten(call: RpcCall): RpcCall | undefined {
      const laid = readLaid(call)
      if (!laid) return undefined
      const known = standing.get(laid.address)
      if (known?.code === laid.code && laid.block >= known.block)
        return { ...call, params: (call.params as readonly unknown[]).slice(0, 2) }
      if (!known) look(laid)
      return undefined
    },
    /** It was not there after all. */
    forget(call: RpcCall): void {
      const laid = readLaid(call)
      if (laid) standing.delete(laid.address)
    },
  }
}

export type StandingCode = ReturnType<typeof createStandingCode>
