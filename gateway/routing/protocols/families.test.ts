import { assert, suite } from '../../../fixtures/test.ts'
import { getDexes } from '../../chain/chains.ts'
import { familyOf, followedTopics } from './families.ts'

const s = suite('families of pools')

s('are followed by the events of the exchanges that there are, and no others', () => {
  const dexes = getDexes(8453)
  const v2 = dexes.filter(({ protocol }) => protocol === 'uniswap_v2')
  assert.ok(v2.length > 0)
  const { topics, creations } = familyOf({ protocol: 'uniswap_v2' })
  const own = [...topics, ...creations.map(({ topic }) => topic)]
  assert.equal([...followedTopics(v2)].sort(), [...new Set(own)].sort())
  const all = followedTopics(dexes)
  for (const topic of own) assert.ok(all.includes(topic))
  assert.is(new Set(all).size, all.length)
  assert.equal(followedTopics([]), [])
})
s.run()
