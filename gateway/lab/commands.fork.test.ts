import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { labUp } from './commands.ts'
import { labFiles } from './labFiles.ts'
import { findMarked } from './processes.ts'
import { testLabEnvironment } from './testLab.ts'

const s = suite('lab-up')
/** A node that takes questions and never answers: a lab that forks it is never ready. */
const silent = createServer(() => undefined).listen(0, '127.0.0.1')
await new Promise((resolve) => silent.once('listening', resolve))
const { port } = silent.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
const { env, remove } = testLabEnvironment({ BASE_RPC_URL: url, ARBITRUM_RPC_URL: url })
s.after(() => {
  silent.closeAllConnections()
  silent.close()
  remove()
})

s('takes a lab down that is not ready in time, and says which step it was at', async () => {
  const files = labFiles(env)
  const print = () => undefined
  const refusal = await labUp({ files, env, print, timeoutMs: 2_000 }).then(
    () => 'it came up',
    (error: Error) => error.message,
  )
  assert.match(refusal, /^not ready after 2 s; last step: \S+/)
  assert.equal(findMarked(files.marker), [])
  assert.not(existsSync(files.dir))
})
s.run()
