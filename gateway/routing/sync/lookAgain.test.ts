import type { Hex, RpcLog } from 'viem'
import { type Pace, quiet } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import type { PartBounds } from '../reads/rangeLogs.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet, twoNodes } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'
import { createAskedOnce } from './askedOnce.ts'
import { createChainReader } from './chainReader.ts'

/** Nodes that give ten blocks at once: what they were asked for in a gap is asked for again behind it. */
const s = suite('logs of a gap that are asked for again')
const blocks = 1_200
const tooWide = { error: { code: -32602, message: 'eth_getLogs is limited to 10 block range' } }
const oneAndOne = `0x${'1'.padStart(64, '0').repeat(2)}` as const
type Lie = (logs: readonly RpcLog[]) => readonly RpcLog[]
type Filter = { readonly fromBlock?: Hex; readonly toBlock?: Hex }

/** A reader of all pools but the newcomer, and a gap that ends with blocks in which nothing happens. */
async function hold(partBounds?: PartBounds) {
  const pace: { -readonly [key in keyof Pace]: Pace[key] } = { ...quiet, blockMs: 250 }
  const swap = (count: number) =>
    Object.assign(pace, { swaps: [count, count], crowdedSwaps: count })
  const node = {
    reads: 0,
    told: 0,
    liar: 0,
    lie: ((logs) => logs) as Lie,
    hear: (_from: number, _of: number): void => undefined,
  }
  const held = await holdMainnet(arbitrum, {
    ...twoNodes,
    pace,
    bend({ method, params }, answer, of) {
      if (method === 'eth_call') node.reads += 1
      if (method !== 'eth_getLogs' || !('result' in answer)) return answer
      const [{ fromBlock, toBlock }] = params as readonly [Filter]
      if (Number(toBlock) - Number(fromBlock) >= 10) return tooWide
      const logs = answer.result as readonly RpcLog[]
      node.told += logs.length
      if (fromBlock) node.hear(Number(fromBlock), of)
      return { result: of === node.liar && toBlock ? node.lie(logs) : logs }
    },
  })
  let nowMs = 0
  const now = () => {
    nowMs += 1_000
    return nowMs
  }
  const { mainnet, deps, chainClient, refs } = held
  const { others, tellerOf } = chainClient
  const auditor = { ...deps.auditor, others }
  const own = createChainReader(
    { ...deps, partBounds, others, tellerOf, auditor, askedOnce: createAskedOnce({ now }) },
    { partnersOf: () => [], stirred: () => undefined },
  )
  const newcomer = refs[0]
  const state = held.reader.current()
  if (!newcomer || !state) throw new Error('there are pools')
  const id = newcomer.address.toLowerCase() as Hex
  return {
    ...held,
    node,
    own,
    /** The pool with most of the trade. */
    newcomer,
    id,
    async begin({ without }: { readonly without: readonly string[] }) {
      const records = [...state.pools.values()].filter((record) => !without.includes(record.id))
      const kept = { head: state.head, records, tokens: [] }
      assert.ok(await own.restore(kept, { isInherited: false }))
    },
    async passGap() {
      swap(2)
      for (let left = blocks; left > 0; left -= 4) mainnet.leap(3)
      swap(0)
      mainnet.leap(99)
      await own.confirm()
      assert.is(own.current()?.head.hash, mainnet.head().hash)
    },
    async lookAgain() {
      for (let step = 0; step < 60; step += 1) await own.lookAgain()
    },
    async listWrong() {
      const records = [...(own.current()?.pools.values() ?? [])]
      const at = { records, blockNumber: BigInt(mainnet.head().number) }
      const fresh = await readMainnet({ chain: arbitrum, mainnet, dexes: deps.dexes }, at)
      return records.flatMap((record) => {
        const real = fresh.get(record.id)
        return !real || compareRecords(record, real) ? [record.id] : []
      })
    },
  }
}

s(
  'are asked of another endpoint, as the one that left some out would again [nodes/range-again-other]',
  async () => {
    using held = await hold()
    await held.begin({ without: [] })
    held.node.lie = (logs) => logs.filter(({ address }) => address.toLowerCase() !== held.id)
    await held.passGap()
    assert.equal(await held.listWrong(), [held.id])
    await held.lookAgain()
    assert.equal(await held.listWrong(), [])
  },
)

s(
  'are asked of one that has not told of them, whoever is asked first by then [nodes/range-again-teller]',
  async () => {
    using held = await hold()
    await held.begin({ without: [] })
    held.node.lie = (logs) => logs.filter(({ address }) => address.toLowerCase() !== held.id)
    await held.passGap()
    for (const other of held.chainClient.others?.() ?? []) other.prefer()
    await held.lookAgain()
    assert.equal(await held.listWrong(), [])
  },
)

s(
  'are asked of one that has not told of them, where two told of one part [nodes/range-again-tellers]',
  async () => {
    using held = await hold({ questions: 1_000, logs: 100_000, data: 100_000_000 })
    const { node, mainnet, chainClient } = held
    await held.begin({ without: [] })
    const [second] = chainClient.others?.() ?? []
    const late = mainnet.head().number + 1_000
    /** From here on the second one told first. */
    let first = Number.POSITIVE_INFINITY
    node.hear = (from, of) => {
      if (from > late) second?.prefer()
      if (of === 1) first = Math.min(first, from)
    }
    node.liar = 1
    node.lie = (logs) =>
      logs.filter(
        ({ address, blockNumber }) =>
          Number(blockNumber) < first || address.toLowerCase() !== held.id,
      )
    await held.passGap()
    node.hear = () => undefined
    assert.ok(first > late && first < late + 160, `${first - late} blocks later`)
    assert.equal(await held.listWrong(), [held.id])
    await held.lookAgain()
    assert.equal(await held.listWrong(), [])
  },
)

type MakeUp = (logs: readonly RpcLog[], victim: Hex) => readonly RpcLog[]
const lies: readonly (readonly [string, MakeUp])[] = [
  [
    'invented',
    ([first], victim) =>
      first ? [{ ...first, address: victim, logIndex: '0xfff', data: oneAndOne }] : [],
  ],
  ['altered', (logs) => logs.map((log) => ({ ...log, data: oneAndOne }))],
]
for (const [title, lie] of lies)
  s(
    `leave no pool wrong for what the first endpoint has ${title} [nodes/range-again-lies]`,
    async () => {
      using held = await hold()
      await held.begin({ without: [] })
      const victim = held.refs.at(-1)?.address
      if (!victim) throw new Error('there are pools')
      held.node.lie = (logs) => {
        const told = lie(logs, victim)
        const places = new Set(told.map((log) => `${log.blockNumber}:${log.logIndex}`))
        return [...logs.filter((log) => !places.has(`${log.blockNumber}:${log.logIndex}`)), ...told]
      }
      await held.passGap()
      assert.ok((await held.listWrong()).length > 0)
      await held.lookAgain()
      assert.equal(await held.listWrong(), [])
    },
  )

s(
  'have each pool read anew once, whatever another endpoint makes up of it [nodes/range-again-vain]',
  async () => {
    using held = await hold()
    const { node, own, refs } = held
    await held.begin({ without: [] })
    await held.passGap()
    const before = own.current()
    node.liar = 1
    node.lie = (logs) => logs.map((log) => ({ ...log, data: oneAndOne }))
    let [lies, readings] = [0, 0]
    for (let step = 0; step < 60; step += 1) {
      Object.assign(node, { reads: 0, told: 0 })
      await own.lookAgain()
      if (node.told > 0) lies += 1
      if (node.reads > 0) readings += 1
    }
    assert.ok(lies > refs.length, `${lies} answers with lies`)
    assert.ok(readings > 0 && readings <= refs.length, `${readings} of them had pools read`)
    assert.is(own.current(), before)
  },
)

s('have no pool read anew that came since, and was read then [nodes/range-adopted]', async () => {
  using held = await hold()
  await held.begin({ without: [held.id] })
  await held.passGap()
  held.deps.troubled.postpone(held.newcomer)
  await held.own.tryAgain()
  assert.ok(held.own.current()?.pools.has(held.id))
  assert.equal(await held.listWrong(), [])
  Object.assign(held.node, { reads: 0, told: 0 })
  await held.lookAgain()
  assert.ok(held.node.told > 0)
  assert.is(held.node.reads, 0)
})
s.run()
