import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'
import { keysCommand } from './keys.ts'
import { operatorLogCommand } from './operatorLog.ts'
import { nameOperator, recordCommand } from './recordCommand.ts'

/** What is written of operators' commands; nothing here names a chain or a node. */
function addTests({ name, createDatabase, store, close }: StoreEngine) {
  const s = suite(`commands/operatorLog on ${name}`)
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-operators-'))
  s.after(async () => {
    await close()
    rmSync(dir, { recursive: true })
  })

  async function open() {
    const address = await createDatabase()
    const isUrl = address.startsWith('postgres:')
    const databasePath = isUrl ? join(dir, 'unused') : address
    const databaseUrl = isUrl ? address : undefined
    const env = {
      KEY_PEPPER: 'canary-pepper-that-has-more-than-32-characters',
      DATABASE_PATH: databasePath,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    }
    async function type(...args: readonly string[]): Promise<string> {
      let printed = ''
      const print = (text: string) => {
        printed += text
      }
      const command = args[0] === 'operator-log' ? operatorLogCommand : keysCommand
      await command(print, env).parseAsync(args.slice(1), { from: 'user' })
      return printed
    }
    return { type, reopen: () => openConfiguredStore({ databasePath, databaseUrl }) }
  }

  s('says who did what to a key, and how it stood before and after [24/operator-log]', async () => {
    const { type, reopen } = await open()
    const [id = '', secret = ''] = (await type('keys', 'create', 'partner', '--quotes', '5')).split(
      '\n',
    )
    await type('keys', 'grant', id, '7', '--reason', 'late')
    const rotated = (await type('keys', 'rotate', id, '--overlap-hours', '1')).trim()
    await type('keys', 'revoke', id, '--abuse', 'spam')
    const opened = await reopen()
    const entries = [...(await opened.operatorLog.list(100))].reverse()
    await opened.close()
    const said = entries.map(({ command, phase, subject }) => `${command} ${phase} ${subject}`)
    assert.equal(said, [
      'keys create begun ',
      'keys create done ',
      ...['grant', 'rotate', 'revoke'].flatMap((command) => [
        `keys ${command} begun ${id}`,
        `keys ${command} done ${id}`,
      ]),
    ])
    assert.ok(entries.every(({ operator }) => operator === nameOperator()))
    type Detail = { asked: { reason?: string }; before: { balance: object } }
    const begun = JSON.parse(entries[2]?.detail ?? '') as Detail
    const done = JSON.parse(entries[3]?.detail ?? '') as { after: { balance: object } }
    assert.is(begun.asked.reason, 'late')
    assert.equal(begun.before.balance, { total: 5, used: 0, remaining: 5 })
    assert.equal(done.after.balance, { total: 12, used: 0, remaining: 12 })
    const shown = await type('operator-log', '--limit', '2')
    assert.match(shown, 'keys revoke')
    assert.not.match(shown, 'keys rotate')
    for (const never of [secret, rotated]) assert.not.match(JSON.stringify(entries), never)
  })

  s('says of a key that was asked for and refused, too [24/log-refused]', async () => {
    const { type, reopen } = await open()
    const outcome = await type('keys', 'create', 'partner', '--plan', 'none-such').catch(
      (error: Error) => error.message,
    )
    assert.match(outcome, 'there is no plan none-such')
    const opened = await reopen()
    const said = (await opened.operatorLog.list(9)).map(({ command, phase }) => [command, phase])
    await opened.close()
    assert.equal(said, [
      ['keys create', 'failed'],
      ['keys create', 'begun'],
    ])
  })

  s('writes before it is done, and that it failed', async () => {
    const seen: string[] = []
    const work = async () => {
      seen.push(...(await store.operatorLog.list(1)).map(({ phase }) => phase))
      throw new RangeError('no')
    }
    const what = { command: 'test', asked: { at: 1n }, look: async () => null }
    const outcome = await recordCommand({ log: store.operatorLog }, what, work).catch(
      (error: Error) => error.name,
    )
    assert.is(outcome, 'RangeError')
    assert.equal(seen, ['begun'])
    const [failed] = await store.operatorLog.list(1)
    assert.equal([failed?.phase, failed?.detail], ['failed', '{"reason":"RangeError"}'])
  })

  s('says what was done, or why not, where the second row fails [24/log-fails]', async () => {
    const { operatorLog } = store
    const append: typeof operatorLog.append = async (entry) => {
      if (entry.phase !== 'begun') throw new Error('disk full at https://db.example/secret')
      await operatorLog.append(entry)
    }
    const warned: string[] = []
    const run = (work: () => Promise<string>) =>
      recordCommand(
        { log: { ...operatorLog, append }, warn: (text) => void warned.push(text) },
        { command: 'test', asked: {}, look: async () => null },
        work,
      )
    assert.is(await run(async () => 'the new secret'), 'the new secret')
    const outcome = await run(async () => {
      throw new RangeError('no')
    }).catch((error: Error) => error.name)
    assert.is(outcome, 'RangeError')
    for (const phase of ['done', 'failed']) {
      const text = warned.shift() ?? ''
      assert.match(text, `${phase}, but the operators' log does not say so: disk full`)
      assert.not.match(text, 'secret')
    }
  })

  s('has rows that nobody changes or takes away [24/append-only]', async () => {
    for (const statement of [
      "UPDATE operator_log SET operator = 'nobody'",
      'DELETE FROM operator_log',
    ]) {
      const outcome = await store.execute(statement).catch((error: Error) => error.message)
      assert.match(String(outcome), 'the operator_log is append-only')
    }
  })

  s('names the account behind sudo', () => {
    assert.match(nameOperator({ SUDO_USER: 'alice' }), / by sudo of alice$/)
  })

  s(
    'tells who an operator says to be beside the account, and takes names alone [24/operator-said]',
    () => {
      assert.is(
        nameOperator({ FORKYARD_OPERATOR: 'a.b@c' }),
        `${nameOperator({})}, who says to be a.b@c`,
      )
      for (const FORKYARD_OPERATOR of ['root (0)\u001b[2K', 'x'.repeat(65)])
        assert.throws(() => nameOperator({ FORKYARD_OPERATOR }), /FORKYARD_OPERATOR must be/)
    },
  )
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
