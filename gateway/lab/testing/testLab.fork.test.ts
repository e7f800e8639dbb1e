import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { assert, suite } from '../../../fixtures/test.ts'
import { endMarked, findMarked } from '../../../simulator/processes.ts'

const s = suite('a lab of a test')

s('ends with whoever started it, where a signal ends that [24/lab-ended]', async () => {
  const script = `import { startTestLab } from ${JSON.stringify(import.meta.resolve('./testLab.ts'))}
const lab = await startTestLab()
console.log(lab.dir)
setInterval(() => undefined, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [dir] = await once(createInterface({ input: child.stdout }), 'line')
  const marker = `FORKYARD_LAB=${dir}` as const
  try {
    assert.ok(findMarked(marker).length > 0)
    child.kill('SIGINT')
    await once(child, 'close')
    assert.is(child.exitCode, 130)
    assert.equal(findMarked(marker), [])
    assert.not(existsSync(String(dir)))
  } finally {
    await endMarked(marker)
  }
})
s.run()
