import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { assert, suite } from '../../fixtures/test.ts'
import { examine } from './examine.ts'
import { labFiles } from './labFiles.ts'
import { anyPorts } from './ports.ts'
import { cliPath } from './testing/testLab.ts'

const s = suite('forkyard doctor')
/** The command as a person runs it. */
const doctor = (env: Readonly<Record<string, string>>) =>
  promisify(execFile)(process.execPath, [cliPath, 'doctor'], {
    env: { ...process.env, FORKYARD_LAB_DIR: files.dir, ...env, NO_COLOR: '1' },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  )
const files = labFiles({ FORKYARD_LAB_DIR: '/tmp/forkyard-no-lab-here' })

s('finds nothing to do where a lab can run [lab/doctor]', async () => {
  const findings = await examine({ files, env: anyPorts, memoryBytes: 2 ** 33 })
  assert.equal(
    findings.filter(({ advice }) => advice !== undefined),
    [],
  )
  assert.match(findings.find(({ what }) => what === 'anvil')?.found ?? '', /1\.7\.1/)
})
s(
  'says what to do about each thing that is in the way, and ends with 1 [lab/doctor-advice]',
  async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const env = { ...anyPorts, META_PORT: String(port), OPS_PORT: '6000' }
    const { code, stdout } = await doctor(env)
    assert.is(code, 1)
    assert.match(
      stdout,
      new RegExp(`!! +META_PORT +${port} is taken +set META_PORT to a free port`),
    )
    assert.match(stdout, /!! +OPS_PORT +6000 is refused by browsers +set OPS_PORT to a free port/)
    const findings = await examine({
      files,
      env,
      nodeVersion: '20.1.0',
      memoryBytes: 2 ** 30,
      findAnvil: () => '/nowhere/anvil',
    })
    server.close()
    const advised = findings.filter(({ advice }) => advice !== undefined).map(({ what }) => what)
    assert.equal(advised, ['Node', 'memory', 'anvil', 'META_PORT', 'OPS_PORT'])
  },
)
s.run()
