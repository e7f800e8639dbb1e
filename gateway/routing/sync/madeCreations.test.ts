import { type Hex, numberToHex, pad } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes, seedTokens } from '../../chain/chains.ts'
import { pairCreatedTopic } from '../protocols/pair/uniswapV2Chain.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { createChainReader } from './chainReader.ts'
import { createCreationScan } from './creationScan.ts'
import { createTokenBook } from './tokenBook.ts'

const s = suite('creations that another endpoint makes up')
const dexes = getDexes(base.chainId)
  .filter(({ protocol }) => protocol === 'uniswap_v2')
  .slice(0, 1)
const { wrappedNative, usdc } = base
const wordOf = (address: string) => pad(address.toLowerCase() as Hex)

/** A scan of which the first endpoint has no logs, and the second makes up so many in each range. */
async function hold(perRange: number) {
  let made = 0
  const makeUp = (blockNumber: Hex) =>
    Array.from({ length: perRange }, (_, index) => {
      made += 1
      const pool = numberToHex(0xbad000000 + made, { size: 32 })
      return {
        address: dexes[0]?.factory,
        topics: [pairCreatedTopic, wordOf(wrappedNative), wordOf(usdc.address)],
        data: `${pool}${'0'.repeat(64)}`,
        blockNumber,
        blockHash: numberToHex(1, { size: 32 }),
        logIndex: numberToHex(index),
      }
    })
  const held = await holdMainnet(base, {
    ...twoNodes,
    bend({ method, params }, answer, of) {
      if (method !== 'eth_getLogs') return answer
      const [{ fromBlock, toBlock }] = params as readonly [{ fromBlock?: Hex; toBlock?: Hex }]
      if (!toBlock || Number(toBlock) - Number(fromBlock) < 1_000) return answer
      return { result: of === 0 ? [] : makeUp(toBlock) }
    },
  })
  let nowMs = 0
  const now = () => {
    nowMs += 10_000
    return nowMs
  }
  const tokens = createTokenBook({ seedTokens: seedTokens(base.chainId), wrappedNative })
  tokens.add(seedTokens(base.chainId))
  const scan = createCreationScan({ dexes, tokens, now })
  const { others, tellerOf } = held.chainClient
  const auditor = { ...held.deps.auditor, others }
  const own = createChainReader(
    { ...held.deps, others, tellerOf, auditor, tokens, scan },
    { partnersOf: () => [], stirred: () => undefined },
  )
  const state = held.reader.current()
  if (!state) throw new Error('it is followed')
  const kept = { head: state.head, records: [...state.pools.values()], tokens: [] }
  assert.ok(await own.restore(kept, { isInherited: false }))
  scan.begin(state.head.number)
  return { ...held, scan, own }
}

s('are read up to a bound, and the scan goes on without them [nodes/scan-made-up]', async () => {
  using held = await hold(300)
  const before = held.own.current()?.pools.size
  for (let step = 0; step < 60; step += 1) await held.own.scanCreations()
  assert.not.ok(held.scan.isDue())
  assert.is(held.deps.troubled.out().length, 1_024)
  assert.is(held.own.current()?.pools.size, before)
  const told = held.events.flatMap((event) => (event.event === 'failed' ? [event.reason] : []))
  assert.is(told.length, 5)
  assert.match(told.at(-1) ?? '', '1024 creations that are none')
})
s.run()
