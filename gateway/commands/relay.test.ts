import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Address, keccak256, numberToHex } from 'viem'
import { bareEnvironment } from '../../fixtures/bareEnvironment.ts'
import { startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'

/** What an operator types, against the database of a gateway that runs or not. */
const run = promisify(execFile)
const cli = join(import.meta.dirname, '..', 'cli.ts')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-relay-command-'))
const postgres = await startPostgres()
// Before any suite is declared: uvu runs what it has at the first wait.
const url = await postgres?.createDatabase()
const chainId = 8453
const owner: Address = numberToHex(0xabc, { size: 20 })
const hash = keccak256('0x01')

function addTests(engine: string, database: Record<'DATABASE_PATH' | 'DATABASE_URL', string>) {
  const command = suite(`forkyard relay on ${engine}`)
  const forkyard = async (...args: readonly string[]) => {
    const env = {
      ...bareEnvironment(),
      KEY_PEPPER: 'canary-pepper-that-has-more-than-32-characters',
      BASE_RPC_URL: 'http://127.0.0.1:1',
      NO_COLOR: '1',
      ...database,
    }
    return (await run(process.execPath, [cli, 'relay', ...args], { env })).stdout
  }

  command('status and history show what was spent, pause and resume work the brake', async () => {
    await reserveOne(database)
    const status = await forkyard('status')
    assert.match(status, /8453 .* 1 of 60 .* 1000 of 20000000000000000 .* 1 .* 0 .* no /)
    const history = await forkyard('history', '--chain', '8453', '--limit', '5')
    assert.match(history, new RegExp(`8453 .* 7 .* pending .* ${owner}.*${hash}`, 'i'))
    await forkyard('pause', '8453', '--reason', 'key rotation')
    assert.match(await forkyard('status'), /key rotation/)
    await forkyard('resume', '8453')
    assert.not.match(await forkyard('status'), /key rotation/)
  })
  if (engine === 'SQLite')
    command('pause knows a chain by its name, and refuses a number that no chain has', async () => {
      assert.is(await forkyard('pause', 'base'), 'chain 8453 is paused\n')
      const refused = await forkyard('resume', '845').catch(({ message }: Error) => message)
      assert.match(refused, 'it must be one of 8453 (base), 42161 (arbitrum)')
    })
  if (engine === 'SQLite')
    command('clock shows how far it is ahead, and sets it back [18/clock-command]', async () => {
      const dayMs = 86_400_000
      const nowMs = Date.now() + 9 * dayMs
      await withStore(database, ({ relay }) => relay.resetClock({ chainId, nowMs }))
      assert.match(await forkyard('clock', 'show', '8453'), /^chain 8453: 77\d{4} s\n$/)
      const told = await forkyard('clock', 'reset', '8453')
      const at = Date.parse(/ is (\S+)\n$/.exec(told)?.[1] ?? '')
      assert.ok(at <= Date.now() && at > nowMs - 9 * dayMs, told)
      const stored = await withStore(database, ({ relay }) => relay.readClock(chainId))
      assert.is(stored, at)
    })
  command.run()
}

async function withStore<value>(
  { DATABASE_PATH, DATABASE_URL }: Readonly<Record<string, string>>,
  use: (store: Awaited<ReturnType<typeof openConfiguredStore>>) => Promise<value>,
): Promise<value> {
  const store = await openConfiguredStore({
    databasePath: DATABASE_PATH ?? '',
    databaseUrl: DATABASE_URL === '' ? undefined : DATABASE_URL,
  })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** A deployment at nonce 7 that may cost 1,000 wei. */
async function reserveOne(database: Readonly<Record<string, string>>) {
  const attempt = {
    hash,
    raw: hash,
    gasLimit: 1n,
    maxFeePerGasWei: 1n,
    maxPriorityFeePerGasWei: 1n,
  }
  const request = { chainId, owner, signer: owner, chainNonce: 7, nowMs: Date.now() }
  await withStore(database, ({ relay }) =>
    relay.reserve({ ...request, windowMs: 3_600_000, markerMs: 120_000 }, () => ({
      kind: 'insert',
      proxy: owner,
      signed: { attempt, reservedWei: 1_000n },
      value: undefined,
    })),
  )
}

addTests('SQLite', { DATABASE_PATH: join(dir, 'relay.sqlite'), DATABASE_URL: '' })
if (url) addTests('PostgreSQL', { DATABASE_PATH: '', DATABASE_URL: url })
const end = suite('the end')
end('leaves nothing behind', async () => {
  await postgres?.close()
  rmSync(dir, { recursive: true })
})
end.run()
