import { createClient, custom, type Hex, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { readAtBlock } from '../../chain/nodes/blockHashes.ts'
import { type ReadCall, readCalls } from './readCalls.ts'

const s = suite('views read together')
const word = (n: number) => numberToHex(n, { size: 32 })
const callOf = (n: number): ReadCall => ({ target: numberToHex(n, { size: 20 }), data: word(n) })
/** A target, two lengths of two bytes, and a word. */
const packedChars = 2 * (20 + 4 + 32)

/** Each view answers the word it was asked with; those of high numbers fail. */
function createNode() {
  const asked: number[] = []
  const request = async ({ params: [{ data }] }: { params: [{ data: Hex }] }) => {
    const calls = data.slice(2).match(new RegExp(`.{${packedChars}}`, 'g')) ?? []
    asked.push(calls.length)
    const words = calls.map((call) => call.slice(-64))
    const answers = words.map((it) => (Number(`0x${it}`) < 100 ? `000020${it}` : '000000'))
    return `0x${answers.join('')}`
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { asked, client: createClient({ chain: toViemChain(base), transport }) }
}

s('go up with the code of the lens once for all that ask in a turn [nodes/gathered]', async () => {
  const { client, asked } = createNode()
  const failed: number[] = []
  const read = (numbers: readonly number[], blockNumber = 1n) =>
    readCalls(
      { client, noteFailure: ({ data }) => failed.push(Number(data)) },
      { calls: numbers.map(callOf), blockNumber },
    )
  const answers = await Promise.all([read([1, 2]), read([]), read([3, 200]), read([4], 2n)])
  assert.equal(answers, [[[1n], [2n]], [], [[3n], undefined], [[4n]]])
  assert.equal(asked.toSorted(), [1, 4])
  assert.equal(failed, [200])
  // What comes later is asked later.
  assert.equal(await read([5]), [[5n]])
  assert.is(asked.length, 3)
})

s(
  'travel together where they name the very block, whoever asks [nodes/gathered-pinned]',
  async () => {
    const { client, asked } = createNode()
    const read = (hash: Hex, number: number) => {
      const pinned = readAtBlock(client, { number: 1n, hash })
      return readCalls({ client: pinned }, { calls: [callOf(number)], blockNumber: 1n })
    }
    await Promise.all([read(word(7), 1), read(word(7), 2), read(word(8), 3)])
    assert.equal(asked.toSorted(), [1, 2])
  },
)

s('reject all that ask together where the node fails', async () => {
  const request = () => Promise.reject(new Error('the node is gone'))
  const transport = custom({ request }, { retryCount: 0 })
  const client = createClient({ chain: toViemChain(base), transport })
  const reads = [1, 2].map((n) => readCalls({ client }, { calls: [callOf(n)], blockNumber: 1n }))
  for (const { status } of await Promise.allSettled(reads)) assert.is(status, 'rejected')
})
s.run()
