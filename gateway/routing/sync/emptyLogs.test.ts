import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { compareRecords } from '../testing/compareRecords.ts'
import { holdMainnet } from '../testing/mainnet/holdMainnet.ts'
import { readMainnet } from '../testing/mainnet/readMainnet.ts'

/** Base fills its blooms so far that they name every other pool: nothing but silence tells there. */
const s = suite('no logs at all of a full block')
const pools = 300

type Held = Awaited<ReturnType<typeof holdMainnet>>

async function listWrong({ reader, mainnet, deps: { dexes } }: Held): Promise<readonly string[]> {
  const state = reader.current()
  assert.is(state?.head.hash, mainnet.head().hash)
  const records = [...(state?.pools.values() ?? [])]
  const blockNumber = BigInt(mainnet.head().number)
  const fresh = await readMainnet({ chain: base, mainnet, dexes }, { records, blockNumber })
  return records.flatMap((record) => {
    const read = fresh.get(record.id)
    return read ? (compareRecords(record, read) ?? []) : [`${record.id} is not there`]
  })
}

/** So many answers about the logs of a block are empty, from when that is asked for. */
async function holdSilent() {
  const silence = { times: 0 }
  const held = await holdMainnet(base, {
    pools,
    blocksBefore: 2,
    bend({ method }, answer) {
      if (method !== 'eth_getLogs' || silence.times === 0) return answer
      silence.times -= 1
      return { result: [] }
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
s.run()
