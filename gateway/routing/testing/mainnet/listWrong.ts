import { assert } from '../../../../fixtures/test.ts'
import { arbitrum } from '../../../chain/arbitrum.ts'
import { compareRecords } from '../compareRecords.ts'
import type { holdMainnet } from './holdMainnet.ts'
import { readMainnet } from './readMainnet.ts'

type Held = Pick<Awaited<ReturnType<typeof holdMainnet>>, 'mainnet' | 'reader' | 'deps'>

/** What of all of Arbitrum's twenty pools, at the head, is not as a fresh read has it. */
export async function listWrong({ mainnet, reader, deps }: Held): Promise<readonly string[]> {
  const state = reader.current()
  assert.is(state?.head.hash, mainnet.head().hash)
  const records = [...(state?.pools.values() ?? [])]
  assert.is(records.length, 20)
  const at = { records, blockNumber: BigInt(mainnet.head().number) }
  const fresh = await readMainnet({ chain: arbitrum, mainnet, dexes: deps.dexes }, at)
  return records.flatMap((record) => {
    const real = fresh.get(record.id)
    return real ? (compareRecords(record, real) ?? []) : [record.id]
  })
}
