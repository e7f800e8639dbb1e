import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { bareEnvironment } from '../../fixtures/bareEnvironment.ts'
import { assert, suite } from '../../fixtures/test.ts'

const s = suite('observe/guardOutput')
const origin = 'https://node.example/'
const url = `${origin}canary-key`

function run(args: readonly string[], env = {}) {
  const options = { env: { ...bareEnvironment(), ...env }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { status, said: stdout + stderr }
}
const runGuarded = (work: string, flags: readonly string[] = []) => {
  const path = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const code = `
    import { guardOutput } from ${path('guardOutput.ts')}
    import { maskUrls } from ${path('maskUrls.ts')}
    guardOutput(maskUrls)
    ${work}`
  return run([...flags, '--input-type=module', '--eval', code])
}

for (const [what, work] of [
  [
    'was thrown',
    `setImmediate(() => { throw new TypeError('a', { cause: new Error('at ${url}') }) })`,
  ],
  ['was rejected', `Promise.reject(Object.assign(new TypeError('a'), { input: '${url}' }))`],
] as const)
  s(`ends with an error that ${what}, and its cause, without their URLs [attack/uncaught]`, () => {
    const { status, said } = runGuarded(work)
    assert.is(status, 1)
    assert.match(said, /^forkyard: TypeError: a\n/)
    assert.match(said, '[url]')
    assert.not.match(said, 'canary')
  })
s('warns without URLs, and where nobody wants warnings not at all [attack/uncaught]', () => {
  const warn = `process.emitWarning('look at ${url}', 'OldWarning')`
  assert.equal(runGuarded(warn), { status: 0, said: 'forkyard: OldWarning: look at [url]\n' })
  assert.equal(runGuarded(warn, ['--no-warnings']), { status: 0, said: '' })
})
s('guards a gateway from its first moment [attack/uncaught]', () => {
  // Thrown as soon as somebody would catch it. Its stack names all of this, so that the key is put together there.
  const preload = `process.on('newListener', (event) => {
    if (event === 'uncaughtException') queueMicrotask(() => {
      throw new Error('at ${origin}' + ['canary', 'key'].join('-'))
    })
  })`
  const main = join(import.meta.dirname, '../main.ts')
  const { status, said } = run(
    [`--import=data:text/javascript,${encodeURIComponent(preload)}`, main],
    {
      KEY_PEPPER: 'p'.repeat(32),
      BASE_RPC_URL: 'http://127.0.0.1:9',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      ROUTING_PORT: '0',
      META_PORT: '0',
      RELAY_PORT: '0',
      OPS_PORT: '0',
    },
  )
  assert.is(status, 1)
  assert.match(said, 'forkyard: Error: at [url]')
  assert.not.match(said, 'canary-key')
})
s.run()
