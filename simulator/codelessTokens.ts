import { LRUCache } from 'lru-cache'
import { type Address, encodeFunctionData, erc20Abi, isHex, toHex } from 'viem'
import type { Generation } from './generation.ts'
import { gasOf } from './rpc/callShapes.ts'
import { orSilent } from './rpc/orSilent.ts'
import { readWordOutcome } from './rpc/readSimulated.ts'
import { settle } from './settle.ts'
import { toTag, type Upstream } from './upstream.ts'

/**
 * `codeless`: the chain itself runs the token (Base's B20), so that a fork knows nothing of it;
 * `silent`: nobody could say; `other`: what a fork can judge, be it a token or not.
 */
export type TokenKind = 'codeless' | 'silent' | 'other'

/** What tokens are, in the order of asking. */
export type CodelessTokens = (
  generation: Generation,
  tokens: readonly Address[],
) => Promise<readonly TokenKind[]>

const timeoutMs = 4_000
const maxDecimals = 255n
/** Where nothing stands, a token may be made. */
const nothingTtlMs = 600_000
const decimalsData = encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' })

/** Asks about each token once: its code on the fork, and where it has none, its decimals on the chain. */
export function createCodelessTokens({
  upstream,
}: {
  upstream: Pick<Upstream, 'send'>
}): CodelessTokens {
  const known = new LRUCache<string, Promise<TokenKind>>({ max: 20_000 })

  async function ask({ fork, blockNumber }: Generation, token: Address): Promise<TokenKind> {
    const key = token.toLowerCase()
    const call = { method: 'eth_getCode', params: [token, 'latest'] }
    const code = await settle(fork.rpc.batch([call], { timeoutMs }))
    const [outcome] = 'error' in code ? [] : code.value
    if (!outcome?.ok || !isHex(outcome.result)) {
      // Whatever is wrong with the fork shows in the dry run.
      known.delete(key)
      return 'other'
    }
    if (outcome.result !== '0x') return 'other'
    const kind = await askChain(token, blockNumber)
    if (kind === 'silent') known.delete(key)
    if (kind === 'other') known.set(key, Promise.resolve(kind), { ttl: nothingTtlMs })
    return kind
  }

  async function askChain(token: Address, blockNumber: bigint): Promise<TokenKind> {
    const gas = toHex(gasOf.balanceRead)
    const params = [{ to: token, data: decimalsData, gas }, toTag(blockNumber)]
    const outcomes = await orSilent(upstream.send([{ method: 'eth_call', params }], 'simulation'))
    if (outcomes === 'silent') return 'silent'
    const decimals = readWordOutcome(outcomes[0])
    return decimals !== undefined && decimals <= maxDecimals ? 'codeless' : 'other'
  }

  return (generation, tokens) =>
    Promise.all(
      tokens.map((token) => {
        const key = token.toLowerCase()
        const kept = known.get(key)
        if (kept) return kept
        const asked = ask(generation, token)
        known.set(key, asked)
        return asked
      }),
    )
}
