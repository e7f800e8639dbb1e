import {
  createClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  numberToHex,
} from 'viem'
import { base } from 'viem/chains'
import { poolLens } from '../../../contracts/artifacts.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { type ReadCall, readCalls } from './readCalls.ts'

const { abi } = poolLens
const s = suite('views read together')
const word = (n: number) => numberToHex(n, { size: 32 })
const callOf = (n: number): ReadCall => ({ target: numberToHex(n, { size: 20 }), data: word(n) })

/** Each view answers the word it was asked with; those of high numbers fail. */
function createNode() {
  const asked: number[] = []
  const request = async ({ params: [{ data }] }: { params: [{ data: Hex }] }) => {
    const { args } = decodeFunctionData({ abi, data })
    const calls = args?.[0] as readonly { data: Hex }[]
    asked.push(calls.length)
    const result = calls.map((call) => (Number(call.data) < 100 ? call.data : '0x'))
    return encodeFunctionResult({ abi, functionName: 'readCalls', result })
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return { asked, client: createClient({ chain: base, transport }) }
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

s('reject all that ask together where the node fails', async () => {
  const request = () => Promise.reject(new Error('the node is gone'))
  const transport = custom({ request }, { retryCount: 0 })
  const client = createClient({ chain: base, transport })
  const reads = [1, 2].map((n) => readCalls({ client }, { calls: [callOf(n)], blockNumber: 1n }))
  for (const { status } of await Promise.allSettled(reads)) assert.is(status, 'rejected')
})
s.run()
