import type { RpcLog } from 'viem'
import { type Pace, paces } from '../../../fixtures/nodes/mainnet/shares.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { base } from '../../chain/base.ts'
import type { Chain } from '../../chain/chains.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** Base fills its blooms so far that they name every other pool: nothing but silence tells there. */
const s = suite('no logs at all of a full block')
const pools = 300
const arbitrumPace = paces[arbitrum.chainId] as Pace

type Held = Awaited<ReturnType<typeof holdMainnet>>

async function listWrong(
  { reader, mainnet, deps: { dexes } }: Held,
  chain: Chain = base,
): Promise<readonly string[]> {
  const state = reader.current()
  assert.is(state?.head.hash, mainnet.head().hash)
  const records = [...(state?.pools.values() ?? [])]
  const blockNumber = BigInt(mainnet.head().number)
  const fresh = await readMainnet({ chain, mainnet, dexes }, { records, blockNumber })
  return records.flatMap((record) => {
    const read = fresh.get(record.id)
    return read ? (compareRecords(record, read) ?? []) : [`${record.id} is not there`]
  })
}

/** So many answers about the logs of a block are empty, or lack some, from when that is asked for; then some fail. */
async function holdSilent({
  chain,
  pace,
  leave = () => [],
}: {
  chain?: Chain
  pace?: Pace
  leave?: ((logs: readonly RpcLog[]) => readonly RpcLog[]) | undefined
} = {}) {
  const silence = { times: 0, fails: 0 }
  const held = await holdMainnet(chain ?? base, {
    pools,
    pace,
    blocksBefore: 2,
    bend({ method }, answer) {
      if (method !== 'eth_getLogs') return answer
      if (silence.times === 0) {
        silence.fails -= 1
        return silence.fails < 0 ? answer : { error: { code: -32602, message: 'invalid argument' } }
      }
      silence.times -= 1
      return 'result' in answer ? { result: leave(answer.result as RpcLog[]) } : answer
    },
  })
  return { held, silence }
}

s(
  'are doubted from the first block on, before anybody knows how busy a chain is [nodes/empty-first]',
  async () => {
    const { held, silence } = await holdSilent()
    using _ = held
    silence.times = 1
    held.mainnet.mine()
    await held.reader.confirm()
    assert.equal(await listWrong(held), [])
  },
)

s(
  'are asked for thrice where more pools than are read anew would be wrong [nodes/empty-again]',
  async () => {
    const { held, silence } = await holdSilent()
    using _ = held
    for (let block = 0; block < 20; block += 1) {
      held.mainnet.mine()
      await held.reader.confirm()
    }
    for (const times of [2, 3]) {
      silence.times = times
      held.mainnet.mine()
      await held.reader.confirm()
      assert.equal(await listWrong(held), [])
    }
  },
)

s('are asked for until a node has had the time to have them [nodes/empty-late]', async () => {
  let freshUntilMs = Number.POSITIVE_INFINITY
  using held = await holdMainnet(base, {
    pools,
    blocksBefore: 2,
    bend({ method }, answer) {
      if (method !== 'eth_getLogs') return answer
      freshUntilMs = Math.min(freshUntilMs, performance.now() + 250)
      return performance.now() < freshUntilMs ? { result: [] } : answer
    },
  })
  held.mainnet.mine()
  await held.reader.confirm()
  assert.equal(await listWrong(held), [])
})

s(
  'are no state where asking again fails: what was before stays until the next look [nodes/empty-failed]',
  async () => {
    const { held, silence } = await holdSilent()
    using _ = held
    const before = held.reader.current()
    Object.assign(silence, { times: 1, fails: 100 })
    held.mainnet.mine()
    await held.reader.confirm()
    assert.is(held.reader.current()?.head.hash, before?.head.hash)
    silence.fails = 0
    await held.reader.confirm()
    assert.equal(await listWrong(held), [])
  },
)

/** Forty blocks that are nearly empty, and a crowded one of which something is left out once. */
async function holdCrowded(leave?: (logs: readonly RpcLog[]) => readonly RpcLog[]) {
  const pace: Pace = { ...arbitrumPace, creationShare: 0, crowdedSwaps: 1, crowdedLogs: 10 }
  const { held, silence } = await holdSilent({ chain: arbitrum, pace, leave })
  const mine = async (blocks: number, crowd: Partial<Pace>) => {
    Object.assign(pace, crowd)
    for (let block = 0; block < blocks; block += 1) {
      held.mainnet.mine()
      await held.reader.confirm()
    }
  }
  await mine(40, { swaps: [0, 1] })
  silence.times = 1
  await mine(1, { swaps: [25, 25], logs: [150, 150] })
  assert.is(silence.times, 0)
  return held
}

s(
  'are doubted where a chain most of whose blocks are nearly empty has a crowded one [nodes/empty-crowded]',
  async () => {
    using held = await holdCrowded()
    assert.equal(await listWrong(held, arbitrum), [])
  },
)

s(
  'and some of them that are left out of such a block are asked for again [nodes/missing-crowded]',
  async () => {
    const left: RpcLog[] = []
    using held = await holdCrowded((logs) => {
      left.push(...logs.filter(({ address }) => address === logs.at(-1)?.address))
      return logs.filter((log) => !left.includes(log))
    })
    assert.ok(left.length > 0)
    assert.equal(await listWrong(held, arbitrum), [])
  },
)
s.run()
