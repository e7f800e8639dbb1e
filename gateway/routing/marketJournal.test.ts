import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createMarket } from './engine/market.ts'
import { createMarketJournal } from './marketJournal.ts'
import { toEnginePool } from './protocols/families.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'

const s = suite('routing/marketJournal')
const toPool = (id: string, reserve1 = 5_000n, tokens = ['a', 'b']) =>
  toEnginePool({
    id,
    address: id as Address,
    dex: 'd',
    protocol: 'uniswap_v2',
    feePips: 3_000,
    tokens,
    reserve0: 5_000n,
    reserve1,
    changedBlock: 0n,
    swapsSeen: 0,
    isFresh: [false, false],
  } satisfies PairRecord)
const [one, two, three] = [toPool('1'), toPool('2'), toPool('3')]

s(
  'tells which pools are others since a version, and remembers no other tokens [teeth/journal]',
  () => {
    const journal = createMarketJournal()
    const first = createMarket([one, two])
    const start = journal.enter(first)
    assert.is(journal.enter(first), start)
    const since = (version: number) => {
      const ids = journal.since(version)
      return ids && [...ids].sort()
    }
    assert.equal(since(start), [])
    const changed = journal.enter(createMarket([one, toPool('2', 6_000n)]))
    assert.equal([since(start), since(changed)], [['2'], []])
    const added = journal.enter(createMarket([one, three]))
    assert.equal([since(start), since(changed), since(added)], [['2', '3'], ['2', '3'], []])
    assert.is(since(start - 1), undefined)
  },
)
s('remembers sixty-four steps [teeth/journal]', () => {
  const journal = createMarketJournal()
  const start = journal.enter(createMarket([one]))
  for (let step = 1n; step <= 64n; step += 1n)
    journal.enter(createMarket([toPool('1', 5_000n + step)]))
  assert.equal([...(journal.since(start) ?? [])], ['1'])
  journal.enter(createMarket([one]))
  assert.equal([journal.since(start), [...(journal.since(start + 1) ?? [])]], [undefined, ['1']])
})

s('remembers nothing from before tokens had other places [teeth/journal]', () => {
  const journal = createMarketJournal()
  const start = journal.enter(createMarket([one]))
  const other = journal.enter(createMarket([one, toPool('4', 5_000n, ['0', 'b'])]))
  assert.equal([journal.since(start), [...(journal.since(other) ?? [])]], [undefined, []])
  const later = journal.enter(createMarket([one, toPool('4', 6_000n, ['0', 'b'])]))
  assert.equal([...(journal.since(other) ?? [])], ['4'])
  assert.equal([...(journal.since(later) ?? [])], [])
})

s.run()
