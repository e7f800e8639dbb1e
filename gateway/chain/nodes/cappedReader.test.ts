import { assert, suite } from '../../../fixtures/test.ts'
import { createCappedReader, TooLong } from './cappedReader.ts'

const s = suite('answers read up to a length')
const chunk = new Uint8Array(1_024).fill(97)
const mostChunks = 64

/** Bodies that count what is held of them all until each is over. */
function createBodies() {
  const held = new Map<object, number>()
  let most = 0
  return {
    mostHeld: () => most,
    open: (chunks: number, isCut = false): AsyncIterable<Uint8Array> => ({
      async *[Symbol.asyncIterator]() {
        const own = {}
        try {
          for (let taken = 1; taken <= chunks; taken += 1) {
            held.set(own, taken)
            most = Math.max(
              most,
              [...held.values()].reduce((sum, one) => sum + one, 0),
            )
            yield chunk
          }
          if (isCut) throw new Error('the connection broke')
        } finally {
          held.delete(own)
        }
      },
    }),
  }
}

s('hold little more than one of the longest, however many come [nodes/long-answers]', async () => {
  const { open, mostHeld } = createBodies()
  const read = createCappedReader(mostChunks * chunk.length)
  const texts = await Promise.all(Array.from({ length: 8 }, () => read(open(mostChunks))))
  for (const text of texts) assert.is(text.length, mostChunks * chunk.length)
  assert.ok(mostHeld() <= 2 * mostChunks + 8, `${mostHeld()} chunks`)
})

s('wait for nobody whose body is cut or too long [nodes/long-answers]', async () => {
  const { open } = createBodies()
  const read = createCappedReader(mostChunks * chunk.length)
  const outcomes = await Promise.all(
    [open(40, true), open(mostChunks + 1), open(mostChunks), open(1)].map((body) =>
      read(body).then(
        ({ length }) => length / chunk.length,
        (error: Error) => (error instanceof TooLong ? 'too long' : error.message),
      ),
    ),
  )
  assert.equal(outcomes, ['the connection broke', 'too long', mostChunks, 1])
})
s.run()
