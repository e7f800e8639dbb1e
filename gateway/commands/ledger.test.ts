import { spawnSync } from 'node:child_process'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCanaries } from '../../fixtures/runner/findCanaries.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { exportLedger, verifyArchive } from '../store/archiveLedger.ts'
import { createCheckpointSigner } from '../store/checkpointKey.ts'
import { type LinkedDay, toSigned } from '../store/checkpoints.ts'
import { openStore } from '../store/openStore.ts'
import { ledgerCommand } from './ledger.ts'

const dayMs = 86_400_000
const startMs = Date.parse('2026-11-01T12:00:00Z')
const pepper = 'canary-pepper-of-more-than-thirty-two-characters'
const sign = createCheckpointSigner(pepper)

const s = suite('forkyard ledger')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-ledger-'))
const path = join(dir, 'a.sqlite')
const archive = join(dir, 'a.jsonl')
const store = openStore({ path })
s.after(() => {
  store.close()
  rmSync(dir, { recursive: true })
})
const rest = { start: 'x', label: '', wallet: undefined, scopes: ['quote'], createdAtMs: startMs }
await store.keys.insert({ id: 'one', idHash: '0x01', secretHash: Buffer.from('a'), ...rest })
await store.ledger.grant({ keyId: 'one', units: 9, ref: 'free', atMs: startMs })
for (const day of [0, 1, 2])
  await store.ledger.charge({ keyId: 'one', units: 1, ref: `${day}`, atMs: startMs + day * dayMs })
const step = { nowMs: startMs + 9 * dayMs, marginMs: 0, most: 99, sign }
while (await store.checkpoints.advance(step));

async function type(words: string, keyPepper: string | undefined = pepper): Promise<string> {
  let printed = ''
  const env = { ...(keyPepper && { KEY_PEPPER: keyPepper }), DATABASE_PATH: path }
  const print = (text: string) => {
    printed += text
  }
  await ledgerCommand(print, env).parseAsync(words.split(' '), { from: 'user' })
  return printed
}
/** What a descriptor of this process stands for; one may be closed by now. */
function readOpened(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'went well',
    (error: Error) => error.message,
  )
const refused = (words: string, sentence: RegExp, keyPepper = pepper) =>
  type(words, keyPepper).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, sentence),
  )

s(
  'writes signed days to a file that is verified without the database [24/ledger-export]',
  async () => {
    assert.match(await type(`export ${archive}`), '3 days, 4 rows')
    assert.is(statSync(archive).mode & 0o777, 0o600)
    const open = readdirSync('/proc/self/fd').flatMap((fd) => readOpened(fd) ?? [])
    assert.not.ok(open.some((name) => name.startsWith(archive)))
    assert.match(await type(`verify ${archive}`), '3 days')
    assert.match(
      await type(`export ${archive} --from 2026-11-02 --until 2026-11-02`),
      '1 days, 1 rows',
    )
    assert.match(await type(`verify ${archive}`), '1 days')
    await refused(`verify ${archive}`, /2026-11-02 is signed by another key/, 'q'.repeat(32))
    const whole = readFileSync(archive, 'utf8')
    writeFileSync(archive, whole.replace('"charge",-1', '"charge",-2'))
    await refused(`verify ${archive}`, /rows of 2026-11-02 are not those that were signed/)
    writeFileSync(archive, whole.replace('"entries":1', '"entries":2'))
    await refused(`verify ${archive}`, /2026-11-02 is not signed/)
  },
)

s('logs who wrote which days to which file, and what they held [24/log-export]', async () => {
  await type(`export ${archive} --from 2026-11-02`)
  const [done, begun] = await store.operatorLog.list(2)
  assert.equal(
    [begun, done].map((row) => [row?.command, row?.phase, row?.subject]),
    [
      ['ledger export', 'begun', archive],
      ['ledger export', 'done', archive],
    ],
  )
  const asked = { from: '2026-11-02', until: '9999-12-31' }
  assert.equal(JSON.parse(begun?.detail ?? ''), { asked, before: null })
  assert.equal(JSON.parse(done?.detail ?? ''), { after: { days: 2, rows: 2 } })
})

s('verifies with the public key alone, and whole archives alone [24/ledger-verify]', async () => {
  await type(`export ${archive}`)
  const whole = readFileSync(archive, 'utf8')
  const key = (await type('key')).trim()
  assert.match(await type(`verify ${archive} --key ${key}`, ''), '2026-11-01 through 2026-11-03')
  const other = (await type('key', 'q'.repeat(32))).trim()
  await refused(`verify ${archive} --key ${other}`, /2026-11-01 is signed by another key/, '')
  await refused(`verify ${archive}`, /KEY_PEPPER/, '')

  const days = whole.split(/(?=^\{)/m)
  const tries: readonly (readonly [text: string, sentence: RegExp])[] = [
    ['', /holds no day/],
    ['{}', /is no archive/],
    ['[1]', /is no archive/],
    ['null', /is no archive/],
    ['{"checkpoint":null}', /is no archive/],
    ['{"checkpoint":1}', /is no archive/],
    [whole.slice(0, -3), /is no archive/],
    [`${days[0]}${days[2]}`, /2026-11-03 does not follow/],
    [`${days[0]}${days[0]}`, /2026-11-01 does not follow/],
    [whole.replace('"publicKey":"', '"publicKey":1,"was":"'), /signed by another key/],
    [whole.replace(/"signature":"[^"]+"/, '"signature":null'), /2026-11-01 is not signed/],
  ]
  for (const [text, sentence] of tries) {
    writeFileSync(archive, text)
    await refused(`verify ${archive}`, sentence)
  }
})

s('verifies what a day comes to as well as its rows, under a key that is one', async () => {
  await type(`export ${archive}`)
  const [first = '', ...rows] = readFileSync(archive, 'utf8').split('\n')
  const { checkpoint, before }: LinkedDay = JSON.parse(first)
  const signAs = (given: Partial<LinkedDay['checkpoint']>) => {
    const day = { before, checkpoint: { ...checkpoint, ...given } }
    const signed = { ...day.checkpoint, ...sign(toSigned(day)), ...given }
    writeFileSync(archive, [JSON.stringify({ ...day, checkpoint: signed }), ...rows].join('\n'))
    return messageOf(verifyArchive(archive, [signed.publicKey ?? '']))
  }
  assert.match(await signAs({ sumsDigest: '0'.repeat(64) }), /what was signed of 2026-11-01 is not/)
  assert.match(await signAs({ publicKey: 'no key' }), /2026-11-01 is not signed/)
})
s('leaves nothing of an archive whose rows go while it is written', async () => {
  const to = join(dir, 'going.jsonl')
  const checkpoints = { ...store.checkpoints, rows: async () => [] }
  const exported = exportLedger({ checkpoints }, { from: '', until: '9', to })
  assert.match(await messageOf(exported), /rows of 2026-11-01 go meanwhile/)
  assert.not.ok(readdirSync(dir).some((name) => name.startsWith('going')))
})

s('leaves nothing where the disk takes a part of an archive [24/ledger-disk-full]', async () => {
  const [full, longPath] = [join(dir, 'full.jsonl'), join(dir, 'long.sqlite')]
  const long = openStore({ path: longPath })
  await long.keys.insert({ id: 'one', idHash: '0x01', secretHash: Buffer.from('a'), ...rest })
  await long.ledger.grant({ keyId: 'one', units: 9, ref: 'r'.repeat(50_000), atMs: startMs })
  while (await long.checkpoints.advance(step));
  const script = `import { ledgerCommand } from '${import.meta.dirname}/ledger.ts'
    await ledgerCommand((text) => process.stdout.write(text)).parseAsync(['export', '${full}'], { from: 'user' })`
  const command = `ulimit -f 40; exec "$0" --input-type=module -e "$1"`
  const env = { ...process.env, KEY_PEPPER: pepper, DATABASE_PATH: longPath }
  const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, script], { env })
  assert.is(status, 1)
  assert.match(String(stderr), 'EFBIG')
  assert.equal(
    readdirSync(dir).filter((name) => name.startsWith('full')),
    [],
  )
  long.close()
})

s('lists the days, and writes no archive of rows that have gone', async () => {
  await store.checkpoints.prune({ nowMs: startMs + 2 * dayMs, detailDays: 1, most: 99 })
  const [, ...rows] = (await type('days')).trim().split('\n')
  assert.is(rows.length >= 3, true)
  assert.match(await type('days'), /2026-11-01 .*signed.*gone/)
  assert.match(await type('days'), /2026-11-02 .*signed.*kept/)
  await refused(`export ${archive}`, /rows of 2026-11-01 have gone already/)
})
s('leaves the pepper in no archive and no database [teeth/no-secret-archived]', () => {
  assert.ok(readdirSync(dir).includes('a.jsonl'))
  assert.equal(findCanaries(dir), [])
})
s.run()
