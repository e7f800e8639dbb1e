import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAccessStand } from '../../fixtures/access/accessStand.ts'
import { assert, suite } from '../../fixtures/test.ts'

/**
 * A gateway whose file system takes no more: the kernel refuses its writes (RLIMIT_FSIZE), in whatever
 * file and at whatever byte they stand.
 */
const s = suite('access/diskFull')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-disk-'))
const path = join(dir, 'gateway.db')
const judge = await startAccessStand({ path })
const { id, apiKey } = await judge.createKey('full', 1_000_000)
await judge.close()
s.after(() => rmSync(dir, { recursive: true }))

/** `limitKiB`: no file may grow beyond it. */
async function serve(limitKiB: number | 'unlimited') {
  const file = join(import.meta.dirname, '../../fixtures/access/ledgerServer.ts')
  const command = `ulimit -f ${limitKiB}; exec "$0" "$@"`
  const child = spawn('bash', ['-c', command, process.execPath, file, path], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { url: string }).url))
    child.once('exit', () => reject(new Error(`the server did not start: ${errors}`)))
  })
  return { child, url }
}

async function stop(child: ChildProcess) {
  child.disconnect()
  await once(child, 'exit')
}

async function work(url: string) {
  const response = await fetch(`${url}/work`, {
    method: 'POST',
    body: '{}',
    headers: {
      'content-type': 'application/json',
      'x-api-key': apiKey,
      'x-request-id': 'r'.repeat(128),
    },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

s('answers 503 when the kernel refuses a write, and nothing without its row', async () => {
  const before = statSync(path).size
  const { child, url } = await serve(Math.ceil(before / 1024) + 128)
  let acked = 0
  let last = await work(url)
  for (; last.status === 200 && acked < 20_000; last = await work(url)) acked++
  assert.ok(acked > 5, `${acked}`)
  assert.is(last.status, 503)
  assert.is(last.body['code'], 'unavailable')
  const parallel = await Promise.all(Array.from({ length: 20 }, () => work(url)))
  for (const { status } of parallel) assert.ok(status === 503 || status === 200, `${status}`)
  acked += parallel.filter(({ status }) => status === 200).length
  await stop(child)

  const roomy = await serve('unlimited')
  assert.is((await work(roomy.url)).status, 200)
  await stop(roomy.child)
  const after = await startAccessStand({ path })
  assert.is((await after.store.ledger.balance(id)).used, acked + 1)
  assert.equal(await after.store.ledger.audit(), [])
  await after.close()
})
s.run()
