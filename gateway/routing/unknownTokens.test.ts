import { type Address, numberToHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { prepareState } from './prepareState.ts'
import { quote } from './quote.ts'
import { createSoughtTokens } from './routingChain.ts'
import type { ChainSync } from './sync/chainSync.ts'
import { createDiscoveryQueue } from './sync/discoveryQueue.ts'

const s = suite('quotes of unknown tokens')
const { chain: known, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const [tokenIn = '', otherIn = ''] = market.addresses
const { chainId } = known
const stranger: Address = '0x00000000000000000000000000000000000000aa'

/** What a quote of a token nobody knows answers, and how often the chain was asked for it. */
function createStand() {
  let nowMs = 0
  let asked = 0
  const besides: (readonly Address[] | undefined)[] = []
  let discover: ChainSync['discover'] = async () => ({ status: 'looked', state: undefined })
  const now = () => nowMs
  const chain = {
    ...known,
    sought: createSoughtTokens({ now }),
    sync: {
      ...known.sync,
      discover: (tokens: readonly Address[], beside?: readonly Address[]) => {
        asked += 1
        besides.push(beside)
        return discover(tokens, beside)
      },
    },
  }
  const deps = { chains: new Map([[chainId, chain]]), simulator: undefined, now, maxLagMs: 30_000 }
  const pair = { chainId, tokenOut: stranger, amountIn: 1_000n, slippageBps: 50 }
  return {
    answer: async (from = tokenIn) =>
      (await quote(deps, { ...pair, tokenIn: from as Address })).status,
    asked: () => asked,
    besides,
    pass: (ms: number) => {
      nowMs += ms
    },
    found(next: ChainSync['discover']) {
      discover = next
    },
  }
}

s('have no route once the chain has been asked, which it is not again for a while', async () => {
  const stand = createStand()
  for (let n = 0; n < 3; n += 1) assert.is(await stand.answer(), 'no_route')
  assert.is(stand.asked(), 1)
  stand.pass(30_000)
  assert.is(await stand.answer(), 'no_route')
  assert.is(stand.asked(), 2)
})

s('are looked for beside what the request would trade them for [nodes/other-token]', async () => {
  const stand = createStand()
  for (const from of [tokenIn, otherIn, tokenIn]) assert.is(await stand.answer(from), 'no_route')
  assert.equal(stand.besides, [[tokenIn], [otherIn]])
})

s('are unavailable while the chain does not answer, and asked for again at once', async () => {
  const stand = createStand()
  stand.found(() => Promise.reject(new Error('the node is gone')))
  assert.is(await stand.answer(), 'unavailable')
  assert.is(await stand.answer(), 'unavailable')
  stand.found(async () => ({ status: 'looked', state: undefined }))
  assert.is(await stand.answer(), 'no_route')
  assert.is(stand.asked(), 3)
})

s('wait for a measurement of their tax, which hubs do not [nodes/hub-taxes]', async () => {
  const measured: string[] = []
  const { chainClient, taxes } = known
  const chain = {
    ...known,
    chainClient: {
      ...chainClient,
      chain: { ...chainClient.chain, hubTokens: [tokenIn as Address] },
    },
    taxes: {
      ...taxes,
      get: () => undefined,
      async measure(samples: readonly { readonly address: string }[]) {
        measured.push(...samples.map(({ address }) => address.toLowerCase()))
        return false
      },
    },
  }
  const { status } = await prepareState(chain, [tokenIn as Address, otherIn as Address])
  assert.is(status, 'ok')
  assert.equal(measured, [otherIn.toLowerCase()])
})

s('are looked for however many a batch has [strangers/batch-tokens]', async () => {
  const looks: number[] = []
  const askFor = createDiscoveryQueue({
    inTurn: (work) => work(),
    look: async ({ tokens }) => void looks.push(tokens.length),
  })
  const sync: ChainSync = {
    ...known.sync,
    async discover(tokens, beside = []) {
      const looked = askFor({ tokens, beside })
      if (looked === 'busy') return { status: 'busy' }
      await looked
      return { status: 'looked', state: undefined }
    },
  }
  const sought = createSoughtTokens({ now: () => 0 })
  const made = Array.from({ length: 100 }, (_, n) => numberToHex(0xabc000 + n, { size: 20 }))
  const prepared = await prepareState({ ...known, sought, sync }, [tokenIn as Address, ...made])
  assert.is(prepared.status, 'ok')
  assert.equal(looks, [16, 16, 16, 16, 16, 16, 4])
})

s('are unavailable while too many others wait', async () => {
  const stand = createStand()
  stand.found(async () => ({ status: 'busy' }))
  assert.is(await stand.answer(), 'unavailable')
  assert.is(await stand.answer(), 'unavailable')
  assert.is(stand.asked(), 2)
})

s.run()
