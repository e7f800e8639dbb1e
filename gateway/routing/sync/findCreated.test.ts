import { createClient, custom, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { findCreated } from './findCreated.ts'

const s = suite('pools that were just made')
const v2 = getDexes(base.chainId).find(({ protocol }) => protocol === 'uniswap_v2')
if (!v2) throw new Error('Base has a Uniswap v2')
const word = (n: number) => numberToHex(n, { size: 32 })
const pair = numberToHex(0xb, { size: 20 })
const client = createClient({
  chain: toViemChain(base),
  transport: custom({ request: () => Promise.reject(new Error('nothing is asked')) }),
})

s(
  "are looked up by their factories, and not for each of a stranger's events [strangers/creations]",
  async () => {
    let looked = 0
    const dex = {
      ...v2,
      get factory() {
        looked += 1
        return v2.factory
      },
    }
    const made = (address: string, logIndex: number): PoolLog => ({
      address,
      topics: [
        ...familyOf(v2)
          .creations.slice(0, 1)
          .map(({ topic }) => topic),
        word(1),
        word(2),
      ],
      data: `${word(0xb)}${word(1).slice(2)}`,
      blockNumber: 1n,
      blockHash: word(1),
      logIndex,
    })
    const strangers = Array.from({ length: 500 }, (_, n) => made(numberToHex(n, { size: 20 }), n))
    const logs = [...strangers, made(v2.factory.toLowerCase(), 500)]
    const found = await findCreated(
      { client, dexes: [dex], tokens: { hasAll: () => true } },
      { state: { pools: new Map() } as never, logs, blockNumber: 1n },
    )
    assert.equal(
      found.map(({ address }) => address.toLowerCase()),
      [pair],
    )
    assert.ok(looked < 10, `${looked} looks`)
  },
)
s.run()
