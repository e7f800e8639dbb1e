import { type Hex, numberToHex, RpcRequestError } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { type Among, readCrowded } from './readCrowded.ts'

const s = suite('logs of a crowded block')
const listEmitters = (count: number) =>
  Array.from({ length: count }, (_, n) => numberToHex(n, { size: 20 }))
const tooMany = new RpcRequestError({
  body: {},
  error: { code: -32005, message: 'query returned more than 10000 results' },
  url: 'http://upstream',
})

/** A node that refuses whatever is of these emitters, and gives one log of each other; and how it is asked. */
async function ask(isStuffed: (emitter: Hex) => boolean, emitters = listEmitters(500)) {
  const asked = { questions: 0, underWay: 0, mostAtOnce: 0 }
  const read = async ({ addresses }: Among) => {
    asked.questions += 1
    asked.underWay += 1
    asked.mostAtOnce = Math.max(asked.mostAtOnce, asked.underWay)
    await new Promise(setImmediate)
    asked.underWay -= 1
    if (addresses.some(isStuffed)) throw tooMany
    const at = { topics: [], data: '0x', blockNumber: 1n, blockHash: '0x01' } as const
    return addresses.map((address) => ({ ...at, address, logIndex: Number(address) }))
  }
  const told = await readCrowded(read, { emitters: () => emitters, namesOf: () => [] }).catch(
    (error: unknown) => error,
  )
  return { asked, told }
}

for (const [count, every, most] of [
  [500, 50, 160],
  // Thirteen, as many as a block has gas for.
  [5_000, 400, 320],
] as const)
  s(
    `are asked for eight parts at a time, until every ${every}th emitter of ${count} is left [17/stuffed-waves]`,
    async () => {
      const emitters = listEmitters(count)
      const isStuffed = (emitter: Hex) => Number(emitter) % every === 7
      const { asked, told } = await ask(isStuffed, emitters)
      const { logs, untold } = told as Awaited<ReturnType<typeof readCrowded>>
      assert.equal([...untold].sort(), emitters.filter(isStuffed))
      assert.equal(
        logs.map(({ address }) => address),
        emitters.filter((emitter) => !isStuffed(emitter)),
      )
      assert.is(asked.mostAtOnce, 8)
      assert.ok(asked.questions <= most, `${asked.questions} questions`)
    },
  )
s(
  'are given up after a few questions where all are refused, and after some more where most are [17/stuffed-waves]',
  async () => {
    const nothing = await ask(() => true)
    assert.is(nothing.told, tooMany)
    assert.ok(nothing.asked.questions < 40, `${nothing.asked.questions} questions`)
    const little = await ask((emitter) => Number(emitter) % 3 > 0)
    assert.is(little.told, tooMany)
    assert.ok(little.asked.questions <= 164, `${little.asked.questions} questions`)
  },
)
s.run()
