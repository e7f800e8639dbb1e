import { type Address, numberToHex, pad } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { ReadDeps } from '../../reads/poolRef.ts'
import { headNumber, loadFamily } from '../../testing/proveFamily.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf } from '../families.ts'
import type { BalancerV2Record } from './balancerV2Chain.ts'
import { readFirstFactors } from './readFirstFactors.ts'

const s = suite('pools behind the second vault')
const stand = await startSwapStand(42161)
s.after(() => stand.close())
const { chainClient, dexes, manifest } = stand
const rows = dexes.filter(({ protocol }) => protocol.startsWith('balancer_v2'))
function getDex(name: string) {
  const dex = rows.find((row) => row.name === name)
  if (!dex) throw new Error(`no row ${name}`)
  return dex
}
const openedOf = (name: string) =>
  manifest.pools.filter(({ dex }) => dex === name).map(({ address }) => address)

/** The chain's node, without a word of the past. */
const forgetful = {
  client: {
    ...chainClient.client,
    async request(question: { readonly method: string }) {
      if (question.method === 'eth_getLogs') throw new Error('no logs here')
      return chainClient.client.request(question as never)
    },
  } as ReadDeps['client'],
}

async function list(deps: ReadDeps, knownPools: readonly Address[]) {
  const blockNumber = await headNumber(stand)
  return Promise.all(
    rows.map(async (row) => {
      const dex = { ...row, knownPools }
      const found = await familyOf(dex).list?.(deps, { dex, blockNumber })
      return { name: row.name, pools: found?.map(({ address }) => address.toLowerCase()) ?? [] }
    }),
  )
}
const sorted = (pools: readonly string[]) => pools.map((pool) => pool.toLowerCase()).sort()

s('are found by the events of factories that take a salt [21/balancer-v2-salt]', async () => {
  const found = await list(chainClient, [])
  for (const { name, pools } of found) assert.equal(sorted(pools), sorted(openedOf(name)))
  assert.ok(found.filter(({ pools }) => pools.length > 0).length >= 2)
})

s(
  'are known by the dated list where a node has forgotten the events [21/balancer-v2-list]',
  async () => {
    const opened = rows.flatMap(({ name }) => openedOf(name))
    for (const { pools } of await list(forgetful, [])) assert.equal(pools, [])
    // Each factory takes its own out of the list; what none of them made is nobody's.
    const stranger: Address = '0x000000000000000000000000000000000000dEaD'
    for (const { name, pools } of await list(forgetful, [...opened, stranger]))
      assert.equal(sorted(pools), sorted(openedOf(name)))
  },
)

s(
  'of the first version take their factors from decimals that the pool bears out [21/balancer-v2-first]',
  async () => {
    const records = (await loadFamily(stand, 'balancer_v2_weighted')) as BalancerV2Record[]
    const first = records.filter(({ hasPlainPowers }) => hasPlainPowers)
    assert.is(first.length, 2)
    const blockNumber = await headNumber(stand)
    const read = (change: (balance: bigint, k: number) => bigint) =>
      readFirstFactors(chainClient, {
        blockNumber,
        pools: first.map(({ address, tokens, balances, weights, dex: name }) => ({
          pool: { address, dex: getDex(name) },
          tokens: tokens as readonly Address[],
          balances: balances.map(change),
          weights,
        })),
      })
    assert.equal(
      await read((balance) => balance),
      new Map(first.map(({ id, scalingFactors }) => [id, scalingFactors])),
    )
    // A token that has come to count in tenths: what it says is not what the pool was made with.
    assert.is((await read((balance, k) => (k === 0 ? balance * 10n : balance))).size, 0)
  },
)

s(
  'are no more than are worth reading, whoever has had them made [21/balancer-v2-flood]',
  async () => {
    const made = pad('0x01')
    const flooded = {
      client: {
        ...chainClient.client,
        async request(question: { readonly method: string }) {
          const answer: unknown = await chainClient.client.request(question as never)
          if (question.method !== 'eth_getLogs') return answer
          const flood = Array.from({ length: 200_000 }, (_, n) => ({
            topics: [made, pad(numberToHex(n + 1))],
            data: '0x',
          }))
          return [...(answer as readonly object[]), ...flood]
        },
      } as ReadDeps['client'],
    }
    for (const { name, pools } of await list(flooded, [])) {
      assert.is(pools.length, 3_000, name)
      for (const opened of openedOf(name)) assert.ok(pools.includes(opened.toLowerCase()))
    }
  },
)
s.run()
