import { once } from 'node:events'
import { createServer } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { choice, isRefused, takePort } from './ports.ts'

const s = suite('lab/ports')
const name = 'META_PORT'

/** Connects to nobody: what fails otherwise, `fetch` itself has refused. */
const unconnected = {
  dispatch(_: unknown, handler: { onError(error: Error): void }) {
    handler.onError(new Error('asked'))
    return true
  },
}
const isAsked = (port: number) =>
  fetch(`http://127.0.0.1:${port}`, { dispatcher: unconnected } as object).catch(
    (error: Error) => (error.cause as Error).message === 'asked',
  )

s('chooses no port that the system may give to a connection', async () => {
  for (let round = 0; round < 100; round += 1) {
    const port = await takePort({ name, port: 0 })
    assert.ok(port >= choice.from && port < 32_768, `${port}`)
  }
})
s('neither chooses nor takes a port that fetch refuses', async () => {
  for (let port = 1; port < choice.below; port += 1)
    assert.is(isRefused(port), !(await isAsked(port)), `${port}`)
  const chosen = Array.from({ length: choice.below - choice.from }, (_, at) => choice.from + at)
  assert.equal(chosen.filter(isRefused), [])
  const message = await takePort({ name, port: 10_080 }).catch((error: Error) => error.message)
  assert.is(message, 'port 10080 is refused by browsers and fetch; set META_PORT to another')
})
s('takes the port that was asked for, or says whose setting names a taken one', async () => {
  const port = await takePort({ name, port: 0 })
  assert.is(await takePort({ name, port }), port)
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const message = await takePort({ name, port }).catch((error: Error) => error.message)
  server.close()
  assert.is(message, `port ${port} is taken by another process; set META_PORT to a free one`)
})
s.run()
