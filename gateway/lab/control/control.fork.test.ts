import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { anyPorts } from '../ports.ts'
import { cliPath, startTestLab } from '../testing/testLab.ts'

const s = suite('what one does to a running lab')
const run = promisify(execFile)
const lab = await startTestLab({ LAB_RANDOM_KEY: '1' })
s.after(() => lab.down())
const { services, adminToken, apiKey, chains } = lab.manifest()
const base = chains['8453']
if (!base) throw new Error('the lab has no chain 8453')
const rpc = createRpc(base.rpcUrl)
const somebody = '0x00000000000000000000000000000000000dea11'
const zero = '0x0000000000000000000000000000000000000000'

async function post(path: string, body: object, token = adminToken) {
  const response = await fetch(`${services.ops}/lab/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ chainId: 8453, ...body }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}
const forkyard = (...args: readonly string[]) => command('lab', ...args)
async function command(...args: readonly string[]) {
  const own = { FORKYARD_LAB_DIR: lab.dir, LAB_RANDOM_KEY: '1', NO_COLOR: '1' }
  const env = { ...process.env, ...anyPorts, ...own }
  const { stdout } = await run(process.execPath, [cliPath, ...args], { env })
  return stdout
}
const standing =
  /^base: block \d+, [\d,]+ s old, \d+\.\d s behind, [\d,]+ pools; [1-9][\d,]* calls of its nodes, [1-9][\d,]* units; in a month/m
const balance = async () => BigInt(String(await rpc('eth_getBalance', somebody, 'latest')))
const height = async () => Number(await rpc('eth_blockNumber'))
const time = async () => {
  const block = (await rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
  return Number(block.timestamp)
}

s('deals, snapshots, reverts, mines, warps and impersonates over HTTP [lab/control]', async () => {
  const { body: kept } = await post('snapshot', {})
  assert.equal(await post('deal', { token: zero, to: somebody, amount: '5' }), {
    status: 200,
    body: { done: true },
  })
  assert.is(await balance(), 5n)
  const sent = await post('impersonate', { from: somebody, to: zero, value: '1' })
  assert.match(sent.body['hash'] ?? '', /^0x[0-9a-f]{64}$/)
  const before = { height: await height(), time: await time() }
  await post('mine', { blocks: 3 })
  assert.is(await height(), before.height + 3)
  await post('warp', { secs: 3600 })
  assert.ok((await time()) >= before.time + 3600)
  const again = await post('revert', { id: kept['id'] })
  assert.is(again.status, 200)
  assert.is(await balance(), 0n)
  assert.is((await post('revert', { id: again.body['id'] })).status, 200)
})
s(
  'does nothing without the token, and says what is wrong with a request [lab/control-token]',
  async () => {
    const before = await height()
    for (const token of ['', 'guess', apiKey])
      assert.is((await post('mine', { blocks: 1 }, token)).status, 401)
    assert.is((await post('mine', { chainId: 7 })).status, 400)
    assert.is((await post('mine', { blocks: 0 })).status, 400)
    assert.is((await post('revert', { id: '0xffff' })).status, 409)
    assert.is(await height(), before)
  },
)
s('does the same by command [lab/control-cli]', async () => {
  const usdc = base.tokens['USDC']?.address ?? ''
  const { id } = JSON.parse(await forkyard('snapshot')) as { id: string }
  await forkyard('deal', usdc, somebody, '12345')
  const data = `0x70a08231${somebody.slice(2).padStart(64, '0')}`
  assert.is(BigInt(String(await rpc('eth_call', { to: usdc, data }, 'latest'))), 12345n)
  const before = await height()
  await forkyard('mine', '2', '--chain', 'base')
  assert.is(await height(), before + 2)
  const then = await time()
  await forkyard('warp', '7200')
  assert.ok((await time()) >= then + 7200)
  await forkyard('deal', zero, somebody, '9')
  const sent = JSON.parse(await forkyard('impersonate', somebody, zero, '0x', '4')) as {
    readonly hash: string
  }
  const { from } = (await rpc('eth_getTransactionByHash', sent.hash)) as { readonly from: string }
  assert.is(from, somebody)
  await forkyard('revert', id)
  assert.is(BigInt(String(await rpc('eth_call', { to: usdc, data }, 'latest'))), 0n)
})
s('says what it is, for people, programs and shells, and shows its logs [lab/status]', async () => {
  assert.is(JSON.parse(await forkyard('status', '-o', 'json')).apiKey, apiKey)
  assert.match(await forkyard('status', '-o', 'env'), `BASE_RPC_URL=${base.rpcUrl}\n`)
  const told = await forkyard('status')
  assert.match(told, services.routing)
  assert.match(told, standing)
  assert.match(await forkyard('logs', '-n', '5'), 'gateway.log <==')
})
s("says the same of any gateway by its operators' port [cli/status]", async () => {
  const asked = ['status', '--url', services.ops]
  const text = await command(...asked)
  assert.match(text, /^ready$/m)
  assert.match(text, standing)
  const { isReady, chains: told } = JSON.parse(await command(...asked, '--json'))
  assert.ok(isReady)
  assert.ok(told[0].block > 0 && told[0].month.units > 0)
  const failure = await command('status', '--url', 'http://127.0.0.1:9').catch(({ code }) => code)
  assert.is(failure, 1)
})
s('starts anew, with another key where that is drawn at random [lab/reset]', async () => {
  await rpc('anvil_setBalance', somebody, '0x9')
  await forkyard('reset')
  const { pid } = lab.manifest()
  const url = lab.manifest().chains['8453']?.rpcUrl ?? ''
  assert.is(BigInt(String(await createRpc(url)('eth_getBalance', somebody, 'latest'))), 0n)
  assert.ok(pid > 0)
  assert.is.not(lab.manifest().apiKey, apiKey)
})
s.run()
