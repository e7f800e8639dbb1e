import { createClient, custom } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { getDexes } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import { createDexBook } from './dexBook.ts'

const s = suite('the exchanges that are configured')

s('counts one that was left out, once a pool of it has answered [nodes/late-dex]', async () => {
  const dexes = getDexes(base.chainId).slice(0, 3)
  const [first, second, third] = dexes.map(({ name }) => name)
  const book = createDexBook(dexes, { hasKnownTokens: true })
  const usable = () => book.usable().map(({ name }) => name)
  const client = createClient({
    chain: toViemChain(base),
    transport: custom({ request: async () => `0x${'60'.repeat(64)}` }, { retryCount: 0 }),
  })
  await book.verify({ client }, { pools: [{ dex: String(first) }], blockNumber: 1n })
  assert.equal(usable(), [first])
  book.prove([{ dex: String(first) }])
  assert.equal(usable(), [first])
  book.prove([{ dex: String(first) }, { dex: String(third) }])
  assert.equal(usable(), [first, third])
  assert.equal(
    book.leftOut().map(({ dex }) => dex),
    [second],
  )
})
s.run()
