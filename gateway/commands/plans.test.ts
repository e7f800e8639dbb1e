import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { openStore } from '../store/openStore.ts'
import { keysCommand } from './keys.ts'
import { plansCommand } from './plans.ts'

const s = suite('commands/plans')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-plans-'))
const path = join(dir, 'plans.sqlite')
const env = { KEY_PEPPER: 'canary-pepper-that-has-more-than-32-characters', DATABASE_PATH: path }
s.after(() => rmSync(dir, { recursive: true }))

async function type(line: string): Promise<string> {
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  // "POST /quote" is one word, as in a shell.
  const [name, ...args] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
  const command = name === 'plans' ? plansCommand(print, env) : keysCommand(print, env)
  const muted = { writeErr: () => undefined }
  for (const one of [command, ...command.commands]) one.exitOverride().configureOutput(muted)
  await command.parseAsync(args, { from: 'user' })
  return printed
}
const failure = (line: string) =>
  type(line).then(
    () => 'it passed',
    (error: Error) => error.message,
  )

s(
  'makes, changes, gives and removes plans, and logs each with what was before [24/plans]',
  async () => {
    await type('plans create pro --rate 50 --burst 200 --monthly 9000 --methods "POST /quote"')
    const [id = ''] = (await type('keys create partner --plan pro')).split('\n')
    assert.match(await type('plans list'), /pro .*50 .*200 .*none .*none .*9000 .*POST \/quote .*1/)
    assert.match(await type('keys list'), / pro /)
    await type('plans change pro --burst 300 --monthly none')
    assert.match(await failure('plans remove pro'), '1 keys have the plan pro')
    await type(`plans assign ${id} default`)
    await type('plans remove pro')
    const store = openStore({ path })
    const rows = [...(await store.operatorLog.list(100))].reverse()
    assert.equal(await store.plans.list(), [])
    assert.is((await store.keys.find(id))?.plan, undefined)
    store.close()
    const said = rows.map(({ command, phase, subject }) => `${command} ${phase} ${subject}`)
    for (const line of [
      'plans change done pro',
      `plans assign done ${id}`,
      'plans remove done pro',
    ])
      assert.ok(said.includes(line), line)
    const change = rows.filter(({ command }) => command === 'plans change')
    const [begun, done] = change.map(({ detail }) => JSON.parse(detail) as Record<string, never>)
    assert.equal(begun?.['asked'], { burst: 300, monthly: 'none' })
    const before = { name: 'pro', unitsPerSec: 50, burst: 200, methods: ['POST /quote'] }
    assert.equal(begun?.['before'], { plan: { ...before, unitsPerMonth: 9000 }, keys: 1 })
    assert.equal(done?.['after'], { plan: { ...before, burst: 300 }, keys: 1 })
  },
)

s(
  'takes no absurd value, no other plan of a name, and none that is not there [24/plan-values]',
  async () => {
    await type('plans create small --rate 1 --burst 16')
    const fresh = 'plans create one --rate 1 --burst 16'
    for (const [line, reason] of [
      ['plans create one --rate 0 --burst 16', '1 to 100000'],
      ['plans create one --rate 1e9 --burst 16', 'whole number'],
      ['plans create one --rate 1 --burst 15', '16 to 1000000'],
      [`${fresh} --monthly 0`, '1 to 1000000000000000'],
      [`${fresh} --monthly -5`, '1 to 1000000000000000'],
      [`${fresh} --streams 1.5`, 'whole number'],
      [`${fresh} --concurrent 0`, '1 to 100000'],
      [`${fresh} --methods "DELETE /quote"`, 'is not like POST /quote'],
      [`${fresh} --methods "POST /quote,"`, 'is not like POST /quote'],
      ['plans create default --rate 1 --burst 16', 'neither default nor none'],
      ['plans create Pro! --rate 1 --burst 16', 'up to 40'],
      ['plans create small --rate 2 --burst 16', 'there is a plan small already'],
      ['plans create one --rate 1', "required option '--burst <n>'"],
      ['plans change gone --rate 1', 'there is no plan gone'],
      ['plans remove gone', 'there is no plan gone'],
      ['plans assign key_1 small', 'there is no valid key key_1'],
      ['plans assign key_1 gone', 'there is no plan gone'],
      ['keys create partner --plan gone', 'there is no plan gone'],
    ] as const)
      assert.match(await failure(line), reason)
    assert.match(await type('plans list'), /small .*1 .*16 .*none .*none .*none .*all .*0/)
    assert.not.match(await type('keys list'), 'gone')
  },
)

s.run()
