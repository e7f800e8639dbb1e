import { once } from 'node:events'
import { createServer } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { takePort } from './ports.ts'

const s = suite('lab/ports')
const name = 'META_PORT'

s('chooses no port that the system may give to a connection', async () => {
  for (let round = 0; round < 100; round += 1) {
    const port = await takePort({ name, port: 0 })
    assert.ok(port >= 10_000 && port < 32_768, `${port}`)
  }
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
