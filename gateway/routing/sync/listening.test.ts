import { numberToHex } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import { readBloom } from '../reads/bloom.ts'
import { listenFor } from './listening.ts'
import { createTroubledPools } from './troubledPools.ts'

const s = suite('which events count')
const dexes = getDexes(base.chainId)
const dex = dexes.find(({ protocol }) => protocol === 'uniswap_v3')
const addressOf = (n: number) => numberToHex(n + 1, { size: 20 })

s(
  'those of a pool that is not open yet do, however many others are not [strangers/many-expected]',
  () => {
    if (!dex) throw new Error('Base has Uniswap v3')
    const troubled = createTroubledPools({ now: () => 0 })
    for (let n = 0; n < 1_000; n += 1) troubled.expect({ dex, address: addressOf(n) })
    const listening = listenFor({ dexes, troubled }, { pools: new Map() as never })
    const isHeard = (n: number) => {
      const bloom = readBloom(bloomOf([{ address: addressOf(n), topics: [] }]))
      if (!bloom) throw new Error('it is a bloom')
      return listening.mayBringNew(bloom)
    }
    // The latest come first.
    assert.equal([999, 0, 5_000].map(isHeard), [true, true, false])
  },
)
s.run()
