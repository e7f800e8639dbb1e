import { assert, suite } from '../../fixtures/test.ts'
import { createKeyServiceCall } from './askKeyService.ts'

const s = suite('askKeyService')
const digest = new Uint8Array(32)

/** Nobody listens there. */
function open(now?: () => number) {
  const ask = createKeyServiceCall({ keyUrl: 'http://127.0.0.1:9/', timeoutMs: 60_000, now })
  return () => ask(digest).catch((error: Error) => error.message)
}
const [silent, resting] = [
  'the key service does not answer',
  'the key service is left alone for some seconds',
]

s('leaves a service that does not answer alone for five seconds [teeth/key-rest]', async () => {
  let nowMs = 0
  const ask = open(() => nowMs)
  const heard: string[] = []
  for (nowMs of [0, 0, 4_999, 5_000, 9_999, 10_000]) heard.push(String(await ask()))
  assert.equal(heard, [silent, resting, resting, silent, resting, silent])
})
s('by the clock of its process, where none is given', async () => {
  const ask = open()
  assert.equal([await ask(), await ask()], [silent, resting])
})
s.run()
