import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startAnvil } from '../../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { canary, findCanaries } from '../../../fixtures/runner/findCanaries.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { cliPath } from '../testing/testLab.ts'

const s = suite('forkyard pack')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const anvil = await startAnvil({ args: ['--chain-id', '8453'] })
const keyedUrl = `${anvil.rpcUrl}/?key=canary-node`
const chain = createRpc(anvil.rpcUrl)
const [one, other] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]
for (const account of [one, other]) await chain('anvil_setBalance', account, '0x2a')
const { timestamp } = (await chain('eth_getBlockByNumber', 'latest', false)) as {
  timestamp: string
}
s.after(async () => {
  await anvil.close()
  rmSync(dir, { recursive: true, force: true })
})

/** By all of its commands. */
let said = ''
type Ended = { readonly code: number | null; readonly output: string; readonly errors: string }
/** From a folder that is nobody's. */
function pack(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [cliPath, 'pack', ...args], {
    cwd: dir,
    env: { ...process.env, BASE_RPC_URL: keyedUrl, ARBITRUM_RPC_URL: '', ...env },
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  return new Promise((resolve) => {
    child.once('close', (code) => {
      said += output + errors
      resolve({ code, output, errors })
    })
  })
}
/** A command that reads the balances of accounts, says them and ends as it is told. */
writeFileSync(
  join(dir, 'read.mjs'),
  `const [end, ...accounts] = process.argv.slice(2)
   for (const account of accounts) {
     const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [account, 'latest'] })
     const headers = { 'content-type': 'application/json' }
     const answer = await fetch(process.env.BASE_RPC_URL, { method: 'POST', headers, body })
     console.log((await answer.json()).result, process.env.MINE, process.env.FREEZE_TIME_SECS)
   }
   if (end === 'killed') process.kill(process.pid, 'SIGTERM')
   else process.exit(Number(end))`,
)
const read = (end: string, ...accounts: readonly string[]) => [
  '--',
  process.execPath,
  'read.mjs',
  end,
  ...accounts,
]
const recorded = ['record', '--out', 'a.pack']

s(
  'records in any folder, with the environment of the command, and says how it goes [pack/record]',
  async () => {
    const { code, output, errors } = await pack([...recorded, ...read('0', one, other)], {
      MINE: 'x',
    })
    assert.is(code, 0, errors)
    assert.is(output, '0x2a x undefined\n0x2a x undefined\n')
    assert.match(errors, /recorded 6 reads, 0\.0 MB, [\d.]+ reads\/s/)
    assert.ok(existsSync(join(dir, 'a.pack')))
  },
)
s(
  "passes the command's end on, and writes nothing where that was no success [pack/exit-code]",
  async () => {
    for (const [end, expected] of [
      ['3', 3],
      ['killed', 143],
    ] as const) {
      const { code, errors } = await pack(['record', '--out', 'b.pack', ...read(end, one)])
      assert.is(code, expected)
      assert.match(errors, `b.pack is not written: the command ended with ${expected}`)
      assert.is((await pack(['replay', 'a.pack', ...read(end, one)])).code, expected)
    }
    const none = await pack(['record', '--out', 'b.pack', '--', 'no-such-program'])
    assert.is(none.code, 127)
    assert.match(none.errors, 'cannot run no-such-program')
    assert.not(existsSync(join(dir, 'b.pack')))
  },
)
s(
  'replays to the command, says how old the pack is, and what is not in it [pack/age]',
  async () => {
    const off = { BASE_RPC_URL: '' }
    const { code, output, errors } = await pack(['replay', 'a.pack', ...read('0', one)], off)
    assert.equal([code, output], [0, '0x2a undefined undefined\n'])
    assert.match(errors, /^a\.pack: chain 8453 at block 0, \d+ minutes old\n$/)
    const { errors: missing } = await pack(['replay', 'a.pack', ...read('0', dir)], off)
    assert.match(missing, 'not in the pack: eth_getBalance')
  },
)
s('holds the clock where asked, in the record and in every replay [pack/freeze]', async () => {
  const held = `0x2a undefined ${Number(timestamp)}\n`
  const args = ['record', '--freeze-time', '--out', 'held.pack', ...read('0', one)]
  assert.is((await pack(args)).output, held)
  const { output, errors } = await pack(['replay', 'held.pack', ...read('0', one)])
  assert.is(output, held)
  assert.match(errors, 'its clock held')
})
s('says what a pack holds [pack/info]', async () => {
  const { code, output } = await pack(['info', 'a.pack'])
  assert.is(code, 0)
  assert.match(output, /8453\s+0\s+0x[0-9a-f]{64}\s+\d+ minutes old\s+runs\s+6/)
  assert.match(output, /eth_getBalance 2/)
  assert.match(output, `a.pack: ${readFileSync(join(dir, 'a.pack')).length} bytes`)
})
s('verifies a pack against its chain, and names what differs [pack/verify]', async () => {
  const verified = await pack(['verify', 'a.pack', '--rpc', anvil.rpcUrl])
  assert.equal(
    [verified.code, verified.output],
    [0, 'chain 8453: 6 answers equal, 0 different, 0 not to be had here\n'],
  )
  const text = gunzipSync(readFileSync(join(dir, 'a.pack'))).toString()
  writeFileSync(join(dir, 'bad.pack'), gzipSync(text.replace('"result":"0x2a"', '"result":"0x2b"')))
  const bad = await pack(['verify', 'bad.pack', '--rpc', anvil.rpcUrl])
  assert.is(bad.code, 1)
  assert.match(bad.output, /5 answers equal, 1 different.*\n {2}different: eth_getBalance/)
  const elsewhere = await startAnvil({ args: ['--chain-id', '8453', '--timestamp', '1700000000'] })
  const { code, output } = await pack(['verify', 'a.pack', '--rpc', elsewhere.rpcUrl])
  await elsewhere.close()
  assert.equal(
    [code, output],
    [1, 'chain 8453: another block stands at that height: record again\n'],
  )
  const nobody = await pack(['verify', 'a.pack', '--rpc', 'http://127.0.0.1:9/secret'])
  assert.is(nobody.code, 1)
  assert.not.match(nobody.errors, 'secret')
})
s('prunes what a command no longer needs, and nothing where it failed [pack/prune]', async () => {
  const prune = (...args: readonly string[]) => pack(['prune', 'a.pack', ...args])
  const before = readFileSync(join(dir, 'a.pack'))
  assert.is((await prune(...read('4', one))).code, 4)
  assert.match((await prune(...read('0', dir))).errors, 'the pack lacks reads')
  assert.ok(readFileSync(join(dir, 'a.pack')).equals(before))
  const { code, output } = await prune('--out', 'c.pack', ...read('0', one))
  assert.is(code, 0)
  assert.match(output, 'c.pack: 3 of 6 answers are needed')
  assert.is(
    (await pack(['replay', 'c.pack', ...read('0', one)])).output,
    '0x2a undefined undefined\n',
  )
})
s("keeps the node's key out of packs and of all that it says [teeth/no-secret-packed]", () => {
  assert.ok(existsSync(join(dir, 'c.pack')))
  assert.equal(findCanaries(dir), [])
  assert.not.match(said, canary)
})
s.run()
