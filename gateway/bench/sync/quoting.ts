import { findRouteInSlices } from '../../routing/engine/findRoute.ts'
import { each } from '../../routing/engine/pieces.ts'
import { createSlices } from '../../routing/engine/slices.ts'
import { searchLimits } from '../../routing/searchRoute.ts'
import type { ChainSync } from '../../routing/sync/chainSync.ts'
import { createRandom } from '../../routing/testing/random.ts'

const limits = searchLimits.deep
const slices = createSlices({ now: () => performance.now() })

/** Asks for one quote after the other, on whatever state is current, until it is stopped. */
export function startQuoting(sync: ChainSync) {
  const random = createRandom(7)
  const times = { meanwhile: [] as number[], otherwise: [] as number[] }
  let kind: keyof typeof times = 'otherwise'
  let isOver = false

  async function quoteOnce(): Promise<void> {
    const state = sync.current()
    if (!state) throw new Error('the chain was loaded')
    const { market } = state
    const tokens = [...each(market.tokens)]
    const [tokenIn, tokenOut] = [random.pick(tokens), random.pick(tokens)]
    const decimals = sync.tokens().get(tokenIn)?.decimals ?? 18
    const amountIn = BigInt(1 + random.below(1_000)) * 10n ** BigInt(decimals)
    const started = performance.now()
    const began = kind
    await findRouteInSlices(
      market,
      {
        tokenIn,
        tokenOut,
        amountIn,
        ...limits,
        gasPriceWei: 10_000_000n,
        nativeToken: tokens[0] ?? '',
        now: () => performance.now(),
      },
      { slices },
    )
    // One that saw any of a block counts as one meanwhile.
    times[kind === 'meanwhile' ? kind : began].push(performance.now() - started)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }

  const running = (async () => {
    while (!isOver) await quoteOnce()
  })()

  return {
    async during<value>(work: () => Promise<value>): Promise<value> {
      kind = 'meanwhile'
      const done = await work()
      kind = 'otherwise'
      return done
    },
    async stop() {
      isOver = true
      await running
      return times
    },
  }
}
