import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startAccessStand, transferUsdc } from '../../fixtures/access/accessStand.ts'
import { send } from '../../fixtures/chains/send.ts'
import { canary, findCanaries } from '../../fixtures/runner/findCanaries.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { keyPrefixOf } from '../config/keyPrefix.ts'
import { keysCommand } from './keys.ts'

/** The command line as an operator and a buyer use it: processes of their own, beside a running service. */
const s = suite('commands')
const run = promisify(execFile)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-commands-'))
const path = join(dir, 'gateway.sqlite')
const pepper = 'canary-pepper-that-has-more-than-32-characters'
const stand = await startAccessStand({
  chainIds: [8453],
  path,
  change: { pepper, keyPrefix: keyPrefixOf('offline') },
})
s.after(async () => {
  await stand.close()
  rmSync(dir, { recursive: true })
})
const base = stand.chain(8453)
const env = {
  ...process.env,
  NO_COLOR: '1',
  FORKYARD_MODE: 'offline',
  DATABASE_PATH: path,
  KEY_PEPPER: pepper,
  BASE_RPC_URL: base.world.rpcUrl,
}

/** By all commands. */
let said = ''
async function forkyard(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const cli = join(import.meta.dirname, '..', 'cli.ts')
  const { all, ...ended } = await run(process.execPath, [cli, ...args], {
    env: { ...env, ...more },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout, all: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      text: stderr,
      all: stdout + stderr,
    }),
  )
  said += all
  return ended
}
const keyInfo = async (key: string) => stand.call('/auth/key-info', { key })

/** The same command in this process: a fifth of the time. */
async function keys(...args: readonly string[]): Promise<string> {
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  await keysCommand(print, env).parseAsync(args, { from: 'user' })
  return printed
}

s(
  'creates, lists, grants, rotates, shows and revokes a key beside the running service',
  async () => {
    const created = await forkyard(['keys', 'create', 'partner', '--quotes', '5'])
    assert.is(created.code, 0, created.text)
    const [id = '', key = ''] = created.text.split('\n')
    assert.is((await keyInfo(key)).body['quota_remaining'], 5)
    assert.match(await keys('grant', id, '7'), /^12 quotes remain/)
    assert.match(await keys('grant', id, '--', '-2'), /^10 quotes remain/)
    const list = await keys('list')
    assert.match(list, id)
    assert.not.match(list, key)
    const rotated = (await keys('rotate', id)).trim()
    assert.is((await keyInfo(key)).status, 401)
    assert.is((await keyInfo(rotated)).body['quota_remaining'], 10)
    const ledger = await keys('ledger', id)
    for (const units of ['5', '7', '-2']) assert.match(ledger, new RegExp(`grant\\D* ${units} `))
    assert.match(await keys('revoke', id), /is revoked/)
    assert.is((await keyInfo(rotated)).status, 401)
  },
)
s('says what is wrong with a key or a number, and changes nothing', async () => {
  const before = (await stand.store.keys.list()).length
  const failure = (...args: string[]) => keys(...args).catch(({ message }: Error) => message)
  assert.match(await failure('rotate', 'key_nobody'), /there is no valid key key_nobody/)
  assert.match(await failure('revoke', 'key_nobody'), /there is no valid key/)
  assert.match(await failure('grant', 'key_nobody', '1'), /there is no valid key/)
  const wrong = await forkyard(['keys', 'create', 'x', '--quotes', '1.5'])
  assert.is(wrong.code, 1)
  assert.match(wrong.text, /1\.5/)
  assert.is((await stand.store.keys.list()).length, before)
})
s("buys quota for a key with one command, which the operators' log has [24/log-buy]", async () => {
  const { apiKey } = await stand.createKey('buyer')
  const privateKey = generatePrivateKey()
  const { address } = privateKeyToAccount(privateKey)
  const { rpcUrl, manifest } = base.world
  const patron = manifest.accounts[3]
  if (!patron) throw new Error('the world has no fourth account')
  await base.rpc('anvil_setBalance', address, '0x8ac7230489e80000')
  await send({ rpcUrl, ...patron }, transferUsdc(base, address, 5_000n))
  const wallet = {
    FORKYARD_API_KEY: apiKey,
    BUYER_PRIVATE_KEY: privateKey,
    BUYER_RPC_URL: rpcUrl,
  }
  const bought = await forkyard(['buy', '25', '--url', stand.url], wallet)
  assert.is(bought.code, 0, bought.text)
  assert.match(bought.text, /25 quotes bought, 25 left on the key/)
  assert.is((await keyInfo(apiKey)).body['quota_remaining'], 25)
  const dear = await forkyard(['buy', '26', '--url', stand.url], wallet)
  assert.is(dear.code, 1)
  assert.match(dear.text, /26 quotes cost 2600 raw USDC and .* has 2500/)
  const [failed, , done, begun] = await stand.store.operatorLog.list(4)
  const logged = [begun, done, failed].map((entry) => `${entry?.command} ${entry?.phase}`)
  assert.equal(logged, ['buy begun', 'buy done', 'buy failed'])
  assert.is(done?.subject, address)
  assert.match(done?.detail ?? '', /"quotes":25,"remaining":25/)
  for (const text of [bought.text, dear.text, JSON.stringify([failed, done, begun])])
    assert.not.ok(text.includes(apiKey) || text.includes(privateKey))
  const rpcKey = 'SECRETRPCKEY123'
  const BUYER_RPC_URL = `http://127.0.0.1:9/v2/${rpcKey}`
  const cutOff = await forkyard(['buy', '1', '--url', stand.url], { ...wallet, BUYER_RPC_URL })
  assert.is(cutOff.code, 1)
  assert.match(cutOff.text, 'BUYER_RPC_URL does not answer')
  assert.not.match(cutOff.text, rpcKey)
})
s('says the pepper nowhere, and leaves it in no file [teeth/no-secret-kept]', () => {
  assert.not.match(said, canary)
  assert.equal(findCanaries(dir), [])
})
s.run()
