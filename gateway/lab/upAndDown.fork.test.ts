import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { findMarked } from '../../simulator/processes.ts'
import { labFiles } from './labFiles.ts'
import { testLabEnvironment } from './testing/testLab.ts'
import { labUp } from './upAndDown.ts'

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

for (const timeoutMs of [200, 3_000])
  s(
    `takes a lab down that is not ready after ${timeoutMs} ms, and says what it did last`,
    async () => {
      const files = labFiles(env)
      const print = () => undefined
      const refusal = await labUp({ files, env, print, timeoutMs }).then(
        () => 'it came up',
        (error: Error) => error.message,
      )
      assert.match(refusal, new RegExp(`^not ready after ${timeoutMs / 1000} s; last step: .+`))
      assert.equal(findMarked(`FORKYARD_LAB_DIR=${files.dir}`), [])
      assert.not(existsSync(files.dir))
    },
  )
s.run()
