import { type Hex, type RpcLog, toEventSelector } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import type { Protocol } from '../../chain/dex.ts'
import { isPositionMissing } from '../protocols/concentrated/concentratedLogs.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** Where no bloom tells of it: a pool's next swap says how much liquidity there is. */
const s = suite('an event of a position that a node left out')
const positions: ReadonlySet<string | undefined> = new Set([
  toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)'),
  toEventSelector('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'),
])

for (const protocol of ['uniswap_v3', 'uniswap_v4'] satisfies readonly Protocol[])
  s(`is noticed by the next swap of a pool of ${protocol} [nodes/lost-position]`, async () => {
    const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 2_000 }
    let [left, isLossy] = [0, false]
    using held = await holdMainnet(base, {
      pools: 6,
      pace,
      shares: [[protocol, 1]],
      blocksBefore: 2,
      bend({ method }, answer) {
        if (!('result' in answer) || !answer.result) return answer
        if (method === 'eth_getBlockByNumber')
          return { result: { ...answer.result, logsBloom: undefined } }
        if (method !== 'eth_getLogs' || !isLossy) return answer
        const logs = answer.result as readonly RpcLog[]
        const kept = logs.filter(({ topics }) => !positions.has(topics[0] as Hex))
        left += logs.length - kept.length
        return { result: kept }
      },
    })
    const { mainnet, reader, deps } = held
    const listWrong = async () => {
      const state = reader.current()
      const records = [...(state?.pools.values() ?? [])]
      const at = { records, blockNumber: BigInt(mainnet.head().number) }
      const fresh = await readMainnet({ chain: base, mainnet, dexes: deps.dexes }, at)
      return records.filter((record) => {
        const real = fresh.get(record.id)
        return !real || compareRecords(record, real)
      })
    }
    Object.assign(pace, { positions: 12 })
    isLossy = true
    mainnet.mine()
    await reader.confirm()
    assert.ok(left > 0)
    assert.ok((await listWrong()).length > 0)
    isLossy = false
    Object.assign(pace, { positions: 0, swaps: [300, 300], crowdedSwaps: 300 })
    mainnet.mine()
    await reader.confirm()
    assert.is(reader.current()?.head.hash, mainnet.head().hash)
    assert.equal(await listWrong(), [])
  })

s('is looked for in the ticks that a swap crosses, however many there are [17/many-ticks]', () => {
  let looks = 0
  const many = Array.from({ length: 65_536 }, (_, at) => ({ index: at, gross: 1n, net: 0n }))
  const ticks = new Proxy(many, {
    get(all, name, receiver) {
      looks += 1
      return Reflect.get(all, name, receiver)
    },
  })
  for (const tick of [0, 30_000, 65_535]) {
    const before = { ticks, tick, liquidity: 7n }
    assert.not(isPositionMissing(before, { tick, liquidity: 7n }))
    assert.not(isPositionMissing(before, { tick: tick - 3, liquidity: 7n }))
  }
  assert.ok(looks < 500, `${looks} looks`)
})

s('is told from ticks that are crossed, either way, and from a pool without such ticks', () => {
  const ticks = [
    { index: -10, gross: 5n, net: 5n },
    { index: 0, gross: 7n, net: 7n },
    { index: 10, gross: 12n, net: -12n },
  ]
  const low = { tick: -1, liquidity: 5n }
  const high = { tick: 0, liquidity: 12n }
  assert.not(isPositionMissing({ ticks, ...low }, high))
  assert.not(isPositionMissing({ ticks, ...high }, low))
  assert.not(isPositionMissing({ ticks, ...high }, { tick: 10, liquidity: 0n }))
  assert.ok(isPositionMissing({ ticks, ...low }, { tick: 0, liquidity: 13n }))
  assert.ok(isPositionMissing({ ticks, ...low }, { tick: -2, liquidity: 6n }))
  assert.not(isPositionMissing({ ticks, tick: -1, liquidity: 6n }, { tick: 0, liquidity: 14n }))
})
s.run()
