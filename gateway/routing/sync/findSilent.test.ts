import { type Address, getAddress, type Hex, keccak256, pad } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { readBloom } from '../reads/bloom.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { findSilent, listNamed, takeTurn } from './findSilent.ts'

const s = suite('pools that a bloom tells of')
const [topic = '0x'] = familyOf({ protocol: 'uniswap_v2' }).topics
const hash = (name: string) => keccak256(`0x${Buffer.from(name).toString('hex')}`)
const addressOf = (name: string) => hash(name).slice(0, 42) as Address
const pools = Array.from({ length: 1_000 }, (_, n): PoolRecord => {
  const address = addressOf(`pool ${n}`)
  return {
    id: address,
    address: getAddress(address),
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    tokens: [],
    feePips: 3_000,
    changedBlock: 1n,
    isFresh: [],
    swapsSeen: 0,
    reserve0: 1n,
    reserve1: 1n,
  }
})
/** Someone's transfers, and a swap at a pair that nobody follows. */
const foreignLogs = (block: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    address: addressOf(`token ${block} ${n}`),
    topics: [n === 0 ? (topic as Hex) : hash('Transfer'), hash(`trader ${block} ${n}`)],
  }))
const logOf = (pool: PoolRecord | undefined) => ({
  address: pool?.id as Address,
  topics: [topic as Hex],
})
const toRead = (log: { address: Address; topics: readonly Hex[] }, logIndex: number): PoolLog => ({
  ...log,
  data: '0x',
  blockNumber: 1n,
  blockHash: '0x',
  logIndex,
})

function silentIn(
  logs: readonly { address: Address; topics: readonly Hex[] }[],
  { returned = [], isBusy = false }: { returned?: PoolLog[]; isBusy?: boolean } = {},
) {
  const bloom = readBloom(bloomOf(logs))
  if (!bloom) throw new Error('it is a bloom')
  return findSilent({ bloom, logs: returned, pools, isBusy, isRare: false }).map(({ id }) => id)
}

/** A reserve of Aave, as its market and configurator speak of it, and as other markets do. */
const reserve = (): PoolRecord => {
  const address = addressOf('market')
  return {
    id: pad(addressOf('asset')),
    address: getAddress(address),
    dex: 'aave-v3',
    protocol: 'aave_v3',
    tokens: [],
    feePips: 0,
    changedBlock: 1n,
    isFresh: [],
    swapsSeen: 0,
    mosts: [0n, 0n],
    rounding: 2n,
    configurator: getAddress(addressOf('configurator')),
  }
}

s('are named by those who may speak of them: anybody logs the same [attack/bloom-speakers]', () => {
  const [of = '0x'] = familyOf({ protocol: 'aave_v3' }).topics
  const silent = (who: string) => {
    const log = { address: addressOf(who), topics: [of, pad(addressOf('asset'))] }
    const bloom = readBloom(bloomOf([...foreignLogs(1, 3), log]))
    if (!bloom) throw new Error('it is a bloom')
    return findSilent({ bloom, logs: [], pools: [reserve()], isBusy: false, isRare: false }).length
  }
  assert.equal(['market', 'configurator', 'another market'].map(silent), [1, 1, 0])
})

s('are named by an event of their own where a vault speaks of them, too [nodes/own-events]', () => {
  const address = addressOf('pool')
  const [vault, other] = [addressOf('vault'), addressOf('other pool')]
  const of = { ...reserve(), id: address, address: getAddress(address) }
  const behind = [
    { ...of, protocol: 'balancer_v2_weighted', vault, poolId: pad(address, { dir: 'right' }) },
    { ...of, protocol: 'balancer_v2_stable', vault, poolId: pad(address, { dir: 'right' }) },
    { ...of, protocol: 'balancer_v3_weighted', vault },
    { ...of, protocol: 'balancer_v3_stable', vault },
  ] as unknown as readonly PoolRecord[]
  for (const record of behind)
    for (const event of familyOf(record).topics) {
      const namedBy = (emitter: Address) => {
        const bloom = readBloom(
          bloomOf([...foreignLogs(1, 3), { address: emitter, topics: [event] }]),
        )
        if (!bloom) throw new Error('it is a bloom')
        return listNamed(bloom, [record]).length
      }
      assert.equal([address, other].map(namedBy), [1, 0])
    }
})

s(
  'are those that a quoter prices, too, where their ticks follow events [nodes/quoted-events]',
  () => {
    const [manager, id] = [addressOf('manager'), hash('pool of a hook')]
    const hooked = { ...reserve(), protocol: 'uniswap_v4', id, address: getAddress(manager) }
    const quoted = [{ ...hooked, quoter: manager }] as unknown as readonly PoolRecord[]
    const [swapped = '0x'] = familyOf({ protocol: 'uniswap_v4' }).topics
    const bloom = readBloom(bloomOf([{ address: manager, topics: [swapped, id] }]))
    if (!bloom) throw new Error('it is a bloom')
    const silent = findSilent({ bloom, logs: [], pools: quoted, isBusy: false, isRare: false })
    assert.equal(silent, quoted)
  },
)

s('are those whose logs were not returned, and no others', () => {
  const [one, other] = [logOf(pools[3]), logOf(pools[4])]
  const all = [...foreignLogs(1, 7), one, other]
  assert.equal(silentIn(all), [one.address, other.address])
  assert.equal(silentIn(all, { returned: [toRead(one, 0)] }), [other.address])
  assert.equal(silentIn(all, { returned: [toRead(one, 0), toRead(other, 1)] }), [])
})

s('need an event of their family in the block: transfers of their shares are none', () => {
  const transfer = { address: pools[3]?.id as Address, topics: [hash('Transfer')] }
  assert.equal(silentIn([transfer]), [])
})

s('are named by chance in fewer than one of eight blocks of nine logs [nodes/bloom-chance]', () => {
  const blocks = Array.from({ length: 200 }, (_, block) => silentIn(foreignLogs(block, 9)))
  const doubted = blocks.filter((silent) => silent.length > 0).length
  assert.ok(doubted > 0 && doubted < 25, `${doubted} of 200`)
})

s(
  'are none where a block is so full that its bloom has every other pool [nodes/bloom-chance]',
  () => {
    for (let block = 0; block < 4; block += 1)
      assert.equal(silentIn([...foreignLogs(block, 1_000), logOf(pools[3])]), [])
  },
)

s(
  'are told of in a full block as well where hardly a block is without logs, and this one is',
  () => {
    const all = [...foreignLogs(1, 1_000), logOf(pools[3])]
    assert.ok(silentIn(all, { isBusy: true }).includes(pools[3]?.id ?? ''))
    assert.equal(silentIn(all, { isBusy: true, returned: [toRead(logOf(pools[9]), 0)] }), [])
  },
)

s('have their turn where more are doubted than are read at once [strangers/bloom-turns]', () => {
  const ids = Array.from({ length: 100 }, (_, n) => `pool ${n}`)
  const read = new Set<string>()
  for (const blockNumber of [7n, 8n, 9n, 10n]) {
    const turn = takeTurn(ids, { blockNumber, most: 32 })
    assert.ok(turn.length <= 32)
    for (const id of turn) read.add(id)
  }
  assert.is(read.size, 100)
  assert.equal(takeTurn(['b', 'a', 'b'], { blockNumber: 3n, most: 2 }), ['a', 'b'])
})

s('tells nothing where it is no bloom [nodes/no-bloom]', () => {
  for (const text of [undefined, '0x', `0x${'z'.repeat(512)}`, `0y${'0'.repeat(512)}`] as const)
    assert.is(readBloom(text as Hex | undefined), undefined)
})
s.run()
