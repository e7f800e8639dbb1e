import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { revertChain } from '../../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
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
const client = createClient({ ...manifest, clientId: 'faulty' })
/** Nothing goes wrong for this one. */
const observer = createClient({ ...manifest, clientId: 'observer' })
const clientId = 'faulty'
const chain = manifest.chains['8453']
const [WETH, USDC] = [chain?.tokens['WETH']?.address, chain?.tokens['USDC']?.address]
if (!chain || !WETH || !USDC) throw new Error('the lab has no Base as it was')
const rpc = createRpc(chain.rpcUrl)
const [payer] = chain.accounts
const nobody = '0x00000000000000000000000000000000000dea11'
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
const order = {
  chain_id: 8453,
  token_in: WETH,
  token_out: USDC,
  amount_in: '10000000000000000',
  ...(payer && { taker: payer.address }),
}
const quote = () => client.routing.quote(order)
/** The way of a quote that was searched: a gateway that a slow machine keeps behind takes the way it knows. */
async function searchedPath() {
  let path = ''
  const isSearched = async () => {
    const { source, route_path } = await quote()
    path = route_path
    return source === 'local'
  }
  await waitFor('a quote is searched', isSearched, patient)
  return path
}
const metaOrder = {
  chainId: 8453,
  tokenIn: WETH,
  tokenOut: USDC,
  amountIn: order.amount_in,
  slippageBps: 50,
  taker: payer?.address ?? USDC,
}
/** Passes of the relay and of the books are seconds apart, bytes are sent again after fifteen. */
const patient = { deadlineMs: 120_000 }
/** By snapshot: it leaves the chain as it was. */
async function revertAfter<value>(use: () => Promise<value>): Promise<value> {
  const id = await rpc('evm_snapshot')
  const value = await use()
  await revertChain(rpc, id)
  await settled()
  return value
}
/**
 * Until the gateway has read the chain's head, which is higher than any that was reverted. Quotes do not tell:
 * one that follows the chain too far behind reads the pools of the route it knows at the head itself.
 */
async function settled() {
  await rpc('anvil_mine', '0x8')
  const head = await height()
  const isRead = async () => {
    const { chains } = await observer.routing.status()
    return chains.some(
      ({ chain_id, last_sync_block }) => chain_id === 8453 && last_sync_block >= head,
    )
  }
  await waitFor('the gateway has read the head', isRead, patient)
}
/** No machine is so slow that a fault ends by itself. */
const lasting = { ms: 600_000 }
/** Of a chain that was reorganised forks are made anew. */
async function simulated() {
  await settled()
  const isSimulated = async () => {
    const asked = observer.routing.quote({ ...order, verify: true })
    return (await asked.catch(() => undefined))?.route_readiness === 'verified'
  }
  await waitFor('a dry run', isSimulated)
}
type Receipt = Readonly<Record<'status' | 'blockNumber' | 'blockHash', string>>
const receiptOf = async (hash = '') =>
  (await rpc('eth_getTransactionReceipt', hash)) as Receipt | null
/**
 * Once the chain has mined it by itself, and nothing is left to mine. A block asked for beside that may have
 * taken the transaction first: the chain's own comes a moment later, and where blocks are taken back
 * meanwhile, it stands on one that is gone, without a trace for whoever follows by parents' hashes.
 */
async function mined(hash: unknown): Promise<Receipt> {
  let receipt: Receipt | null = null
  const isMined = async () => {
    receipt = await receiptOf(String(hash))
    return receipt !== null
  }
  await waitFor('it is mined', isMined)
  if (!receipt) throw new Error(`${hash} has no receipt`)
  return receipt
}
const send = async (transaction: object) =>
  mined(await rpc('eth_sendTransaction', { from: payer?.address, ...transaction }))
/** What the payer gets by the call of a quote, and whether it goes through. */
async function executeQuote(call: { target?: string; calldata?: string } | undefined) {
  if (!call || !payer) throw new Error('there is no payload')
  const approval = `0x095ea7b3${word(call.target)}${'f'.repeat(64)}`
  await send({ to: WETH, data: approval })
  const before = await balanceOf(payer.address)
  const { status } = await send({ to: call.target, data: call.calldata, gas: '0x989680' })
  return { status, gained: (await balanceOf(payer.address)) - before }
}
const word = (address = '') => address.slice(2).toLowerCase().padStart(64, '0')
const balanceOf = async (owner: string) =>
  BigInt(String(await rpc('eth_call', { to: USDC, data: `0x70a08231${word(owner)}` }, 'latest')))
const bpsBelow = (amount: bigint, whole: bigint) => Number(((whole - amount) * 10_000n) / whole)
const hasCode = async (address: string) => (await rpc('eth_getCode', address, 'latest')) !== '0x'
const height = async () => Number(await rpc('eth_blockNumber'))
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof ForkyardError ? error.code : String(error)),
  )

s('plays a deployment that is there already, and one that reverts [faults/relay]', async () => {
  const owner = nextOwner()
  await control.fail({ name: 'relay_existing', times: 2 })
  const existing = await askProxy(owner)
  assert.ok(existing.existing)
  assert.ok(await hasCode(existing.proxy))
  assert.ok((await askProxy(nextOwner())).existing)
  assert.not.ok((await askProxy(nextOwner())).existing)
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
  const { txHash: then } = await askProxy(nextOwner())
  await rpc('anvil_mine', '0x1')
  assert.is((await receiptOf(then))?.status, '0x1')
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
  await control.fail({ name: 'source_rate_limited', source: 'routing' })
  const { failures } = await client.meta.quote(metaOrder)
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
  const sent = await rpc('eth_sendTransaction', { from: payer?.address, to: payer?.address })
  const hash = String(sent)
  const { blockNumber } = await mined(hash)
  const blocks = (await height()) - Number(blockNumber) + 1
  await control.fail({ name: 'chain_reorg', chainId: 8453, settings: { blocks } })
  const before = await height()
  await client.routing.health()
  assert.is(await receiptOf(hash), null)
  assert.is(await height(), before)
  const { hash: head } = (await rpc('eth_getBlockByNumber', 'latest', false)) as { hash: string }
  await client.routing.health()
  assert.ok(await rpc('eth_getBlockByHash', head, false), 'once, not again')
  await simulated()
})
s('has the block of a claim or of a deployment gone under it [faults/reorg-under]', async () => {
  if (!payer) throw new Error('there is nobody to pay')
  const confirmed = async (hash: string | undefined) => {
    const receipt = await mined(hash)
    await rpc('anvil_mine', '0x1')
    return receipt
  }
  const fail = async ({ blockNumber }: Receipt) => {
    const blocks = (await height()) - Number(blockNumber) + 1
    await control.fail({ name: 'chain_reorg', chainId: 8453, clientId, settings: { blocks } })
  }
  const total = async () => (await observer.access.keyInfo()).quota_total
  const before = await total()
  const data = `0xa9059cbb${word(chain.quotaManager)}${(1_000).toString(16).padStart(64, '0')}`
  const hash = String(await rpc('eth_sendTransaction', { from: payer.address, to: USDC, data }))
  await fail(await confirmed(hash))
  const tx_hash = hash as `0x${string}`
  const { purchased_quotes } = await client.access.claim({ chain_id: 8453, tx_hash })
  assert.is(purchased_quotes, 10)
  assert.is(await receiptOf(hash), null)
  const isTakenBack = async () => (await total()) === before
  await waitFor('the credit is taken back', isTakenBack, patient)
  await simulated()
  const owner = nextOwner()
  const { txHash } = await askProxy(owner)
  const first = await confirmed(txHash)
  await fail(first)
  await client.routing.health()
  // Sent again by the relay, the same bytes.
  const isAgain = async () => {
    const receipt = await receiptOf(txHash)
    return receipt !== null && receipt.blockHash !== first.blockHash
  }
  await waitFor('it is mined again', isAgain, patient)
  await simulated()
})
s('has the relay find fees above its ceiling, once [faults/fees]', async () => {
  const owner = nextOwner()
  await control.fail({ name: 'chain_fee_spike', service: 'relay', chainId: 8453 })
  const code = await codeOf(askProxy(owner))
  // Whatever else it says, its logs tell why.
  const { logs } = await control.logs({ lines: 20 })
  assert.is(code, 'fee_ceiling_exceeded', `${code}: ${JSON.stringify(logs)}`)
  assert.is(await codeOf(askProxy(owner)), 'answered')
})
s('promises more than the chain gives, for so many quotes [faults/quote-drift]', async () => {
  const asIs = BigInt((await quote()).output)
  await control.fail({ name: 'quote_drift', clientId, times: 2, settings: { bps: 30 } })
  for (let index = 0; index < 2; index++) {
    const { output, min_output, execution } = await quote()
    assert.is(BigInt(output), (asIs * 10_030n) / 10_000n)
    // 30 of the 50 bps of slippage are gone.
    const { status, gained } = await revertAfter(() => executeQuote(execution))
    assert.is(status, '0x1')
    assert.ok(gained >= BigInt(min_output) && gained === asIs, `${gained}`)
  }
  assert.is(BigInt((await quote()).output), asIs)
  await control.fail({ name: 'quote_drift', service: 'meta', settings: { bps: 300 } })
  const { quotes } = await client.meta.quote(metaOrder)
  const ours = quotes.find(({ provider }) => provider === 'routing')
  assert.is(BigInt(ours?.amountOut ?? 0), (asIs * 10_300n) / 10_000n)
  assert.is((await revertAfter(() => executeQuote(ours))).status, '0x0')
})
s('trades against the pools of a quote, and sells back [faults/pool-moved]', async () => {
  const moved = { name: 'pool_moved', clientId, settings: { ...lasting, bps: 80 } } as const
  const asIs = await quote()
  await control.fail(moved)
  const first = await quote()
  assert.is(first.output, asIs.output)
  // Its slippage is 50 bps.
  assert.is((await revertAfter(() => executeQuote(first.execution))).status, '0x0')
  assert.is.not(await searchedPath(), first.route_path)
  await control.clearFault('pool_moved')
  await settled()
  const { gained: back } = await revertAfter(() => executeQuote(first.execution))
  assert.ok(Math.abs(bpsBelow(back, BigInt(first.output))) <= 5, `${back} of ${first.output}`)
  await control.fail({ ...moved, times: 2 })
  for (let index = 0; index < 3; index++) {
    const { output, execution } = await client.routing.quote({ ...order, slippage_bps: 500 })
    const { status, gained } = await revertAfter(() => executeQuote(execution))
    const lost = bpsBelow(gained, BigInt(output))
    assert.ok(status === '0x1' && (index < 2 ? lost >= 79 && lost <= 85 : lost === 0), `${lost}`)
  }
  await control.clearFault('pool_moved')
  // What a snapshot took back is nothing to sell.
  await revertAfter(async () => {
    await control.fail(moved)
    await quote()
  })
  await control.clearFault('pool_moved')
})
s('has a token take a tax for a while [faults/token-taxed]', async () => {
  const taxed = { ...lasting, bps: 200 }
  await control.fail({ name: 'token_taxed', clientId, times: 2, settings: taxed })
  const [first] = [await quote(), await quote()]
  assert.is((await revertAfter(() => executeQuote(first.execution))).status, '0x0')
  const transfer = `0xa9059cbb${word(nobody)}${(10_000).toString(16).padStart(64, '0')}`
  await send({ to: USDC, data: transfer })
  assert.is(await balanceOf(nobody), 9_800n)
  // Twice is once: it ends as it was.
  await control.clearFault('token_taxed')
  await send({ to: USDC, data: transfer })
  assert.is(await balanceOf(nobody), 19_800n)
  const { execution } = await quote()
  assert.is((await revertAfter(() => executeQuote(execution))).status, '0x1')
})
// Last: what ends the pause mines a block in its own time.
s('has a chain make no block for a while [faults/paused]', async () => {
  const paused = { name: 'chain_paused', chainId: 8453, settings: { ms: 10_000 } } as const
  await control.fail({ ...paused, times: 2 })
  for (let index = 0; index < 2; index++) await client.routing.health()
  const sent = { from: payer?.address, to: payer?.address, value: '0x1' }
  const hash = String(await rpc('eth_sendTransaction', sent))
  assert.is(await receiptOf(hash), null)
  // It goes on by itself.
  while (!(await receiptOf(hash))) await rpc('eth_chainId')
})
s.run()
