import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createClient } from '../../client/client.ts'
import { ForkyardError } from '../../client/forkyardError.ts'
import { createLab } from '../../client/lab.ts'
import { anyPorts } from '../ports.ts'
import { cliPath, startTestLab } from '../testing/testLab.ts'

const s = suite('faults of a lab')
const lab = await startTestLab()
s.after(() => lab.down())
const manifest = lab.manifest()
const control = createLab(manifest)
const client = createClient(manifest)
const chain = manifest.chains['8453']
const [WETH, USDC] = [chain?.tokens['WETH']?.address, chain?.tokens['USDC']?.address]
if (!chain || !WETH || !USDC) throw new Error('the lab has no Base as it was')
const rpc = createRpc(chain.rpcUrl)
const [payer] = chain.accounts
const run = promisify(execFile)

/** Of an owner that holds everything and has no proxy. */
let owners = 0
const nextOwner = () => {
  owners += 1
  const owner = chain.accounts[owners]?.address
  if (!owner) throw new Error('the lab has no further account')
  return owner
}
const askProxy = (owner: `0x${string}`) =>
  client.relay.requestProxy({ chainId: 8453, owner, tokenIn: USDC, amountIn: '1' })
const quote = () =>
  client.routing.quote({
    chain_id: 8453,
    token_in: WETH,
    token_out: USDC,
    amount_in: '10000000000000000',
  })
const receiptOf = async (hash = '') =>
  (await rpc('eth_getTransactionReceipt', hash)) as { readonly status: string } | null
const hasCode = async (address: string) => (await rpc('eth_getCode', address, 'latest')) !== '0x'
const height = async () => Number(await rpc('eth_blockNumber'))
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof ForkyardError ? error.code : String(error)),
  )

s('plays a deployment that is there already, and one that reverts [faults/relay]', async () => {
  const owner = nextOwner()
  await control.fail({ name: 'relay_existing' })
  const existing = await askProxy(owner)
  assert.ok(existing.existing)
  assert.ok(await hasCode(existing.proxy))
  await control.fail({ name: 'relay_reverts', times: 2 })
  const other = nextOwner()
  for (let index = 0; index < 2; index++) {
    const { txHash } = await askProxy(other)
    await rpc('anvil_mine', '0x1')
    assert.is((await receiptOf(txHash))?.status, '0x0')
  }
  // The books of the relay heard of none.
  const { txHash } = await askProxy(other)
  await rpc('anvil_mine', '0x1')
  assert.is((await receiptOf(txHash))?.status, '0x1')
})
s('plays a deployment that is mined late, or never [faults/relay]', async () => {
  await control.fail({ name: 'relay_never_confirms' })
  await control.fail({ name: 'relay_late', settings: { ms: 50 } })
  const [never, late] = [await askProxy(nextOwner()), await askProxy(nextOwner())]
  while (!(await receiptOf(late.txHash))) await rpc('anvil_mine', '0x1')
  assert.ok(await hasCode(late.proxy))
  assert.is(await receiptOf(never.txHash), null)
  assert.not.ok(await hasCode(never.proxy))
  const { faults } = await control.faults()
  const { settings } = faults.find(({ name }) => name === 'relay_late') ?? {}
  assert.is(
    (settings as { properties: { ms: { default: number } } }).properties.ms.default,
    130_000,
  )
})
s('offers to sell what can be paid once the quota is gone [faults/quota-gone]', async () => {
  await control.fail({ name: 'quota_gone', path: '/quote', after: 1, times: 2 })
  assert.is(await codeOf(quote()), 'answered')
  for (let index = 0; index < 2; index++) {
    const error = await quote().catch((thrown: unknown) => thrown)
    assert.ok(error instanceof ForkyardError)
    assert.equal([error.status, error.code], [402, 'payment_required'])
    const { accepts } = error.body as { readonly accepts: readonly { readonly payTo: string }[] }
    assert.ok(accepts.some(({ payTo }) => /^0x/.test(payTo)))
  }
  assert.is(await codeOf(quote()), 'answered')
})
s('has a source fail, and the answer name its word [faults/source-failures]', async () => {
  const taker = payer?.address ?? USDC
  const order = {
    tokenIn: WETH,
    tokenOut: USDC,
    amountIn: '10000000000000000',
    slippageBps: 50,
    taker,
  }
  await control.fail({ name: 'source_rate_limited', source: 'routing' })
  const { failures } = await client.meta.quote({ chainId: 8453, ...order })
  assert.equal(
    failures.filter(({ provider }) => provider === 'routing').map(({ reason }) => reason),
    ['rate_limited: asked for'],
  )
})
s('lists, arms and forgets by command [faults/cli]', async () => {
  const env = { ...process.env, FORKYARD_LAB_DIR: lab.dir, ...anyPorts, NO_COLOR: '1' }
  const forkyard = async (...args: readonly string[]) =>
    (await run(process.execPath, [cliPath, 'lab', 'faults', ...args], { env })).stdout
  assert.match(await forkyard(), /relay_late +ms=130000 +200 of the relay/)
  const options = ['--times', '2', '--service', 'routing', '--path', '/quote']
  const armed = await forkyard('arm', 'rate_limited', ...options, '--set', 'retryAfterSecs=9')
  assert.equal(JSON.parse(armed), {
    name: 'rate_limited',
    left: 2,
    service: 'routing',
    path: '/quote',
  })
  const error = await quote().catch((thrown: unknown) => thrown)
  assert.ok(error instanceof ForkyardError)
  assert.equal([error.code, error.retryAfterSecs], ['rate_limited', 9])
  assert.match(await forkyard(), 'rate_limited waits for 1 more\n')
  await forkyard('clear')
  assert.is(await codeOf(quote()), 'answered')
})
s('has a block gone once a request is answered [faults/reorg]', async () => {
  const sent = { from: payer?.address, to: payer?.address, value: '0x1' }
  const hash = String(await rpc('eth_sendTransaction', sent))
  await rpc('anvil_mine', '0x1')
  const mined = Number(((await receiptOf(hash)) as unknown as { blockNumber: string }).blockNumber)
  const blocks = (await height()) - mined + 1
  await control.fail({ name: 'chain_reorg', chainId: 8453, settings: { blocks } })
  const before = await height()
  await client.routing.health()
  assert.is(await receiptOf(hash), null)
  assert.is(await height(), before)
})
s('has the relay find fees above its ceiling, once [faults/fees]', async () => {
  const owner = nextOwner()
  await control.fail({ name: 'chain_fee_spike', service: 'relay', chainId: 8453 })
  assert.is(await codeOf(askProxy(owner)), 'fee_ceiling_exceeded')
  assert.is(await codeOf(askProxy(owner)), 'answered')
})
// Last: what ends the pause mines a block in its own time.
s('has a chain make no block for a while [faults/paused]', async () => {
  await control.fail({ name: 'chain_paused', chainId: 8453, settings: { ms: 4_000 } })
  await client.routing.health()
  const sent = { from: payer?.address, to: payer?.address, value: '0x1' }
  const hash = String(await rpc('eth_sendTransaction', sent))
  assert.is(await receiptOf(hash), null)
  // It goes on by itself.
  while (!(await receiptOf(hash))) await rpc('eth_chainId')
})
s.run()
