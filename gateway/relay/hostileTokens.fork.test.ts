import { type Address, type Hex, numberToHex } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startFaultProxy } from '../../fixtures/chains/faultProxy.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import {
  giveNative,
  lyingToken,
  ownerAt,
  prepareOwners,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { encodeDeploy } from './signer.ts'

/** The relay over the real simulator: what a caller's tokenIn may do to it. */
const hostile = suite('relay, hostile tokens')
const chain = await startWorldChain({ chainId: 8453 })
const { chainId, manifest } = chain
const rpc = createRpc(chain.rpcUrl)
const factory = manifest.proxyFactory
const tokens: readonly (readonly [string, Hex])[] = [
  ['has no code', '0x'],
  ['reverts', '0x5f5ffd'],
  ['returns nothing', '0x00'],
  ['returns 31 bytes', '0x601f5ff3'],
  ['returns 33 bytes', '0x60215ff3'],
  ['returns 10 MB', '0x629896805ff3'],
  ['reverts with 10 MB', '0x629896805ffd'],
  ['burns all gas', '0x5b5f56'],
  ['calls itself without end', '0x5f5f5f5f5f305af100'],
]
const tokenAt = (index: number): Address => `0x${(0xbad000 + index).toString(16).padStart(40, '0')}`

// A token whose balanceOf deploys the very proxy that is to be simulated, then claims a fortune: if the
// simulation saw its effect, the deployment would look idempotent, and the relay would sign too little gas.
const victim = ownerAt(0, 'reentered')
const deployer: Address = tokenAt(100)
const [head, tail] = [encodeDeploy(victim).slice(0, 66), encodeDeploy(victim).slice(66)]
const deployingCode: Hex = `0x7f${head.slice(2)}5f527f${tail.padEnd(64, '0')}6020525f5f60245f5f73${factory.slice(2)}5af1600160ff1b5f5260205ff3`

for (const [index, [, code]] of tokens.entries()) await rpc('anvil_setCode', tokenAt(index), code)
await rpc('anvil_setCode', deployer, deployingCode)
await rpc('anvil_setCode', tokenAt(200), '0x60205ff3')
const [someone = '0x'] = manifest.accounts.map(({ address }) => address)
await rpc('anvil_setBalance', someone, numberToHex(10n ** 22n))
await prepareOwners(chain, [victim])
await rpc('evm_mine')

const upstream = await startFaultProxy({ target: chain.rpcUrl })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: chain.rpcUrl }] })
const stand = await startRelayStand({ chain, simulator, rpcUrl: upstream.rpcUrl, timeoutMs: 1_000 })
const ask = (owner: Address, tokenIn: Address) =>
  stand.post({ chainId, owner, tokenIn, amountIn: '1' })

/** A contract that answers zero: an honest token of which the owner has nothing. */
const harmless = tokenAt(200)
async function time<answer>(run: () => Promise<answer>) {
  const started = performance.now()
  const answer = await run()
  return { ...answer, tookMs: performance.now() - started }
}

for (const [index, [what]] of tokens.entries())
  hostile(`P11: a token that ${what} fails gate 2, in time`, async () => {
    const honest = await time(() => ask(victim, harmless))
    const { status, body, tookMs } = await time(() => ask(victim, tokenAt(index)))
    assert.equal([status, body.error], [400, 'owner balance does not cover this amount'])
    // The deadline is the fork's, five seconds; what holds on a busy machine is a share of the usual.
    assert.ok(tookMs < Math.max(2_000, 10 * honest.tookMs), `${tookMs} ms`)
  })

hostile(
  'P11: a token that lies still has to get past the native balance [relay/lying-token]',
  async () => {
    const { status, body } = await ask(ownerAt(1, 'poor'), lyingToken)
    assert.equal([status, body.error], [400, 'owner has no native balance'])
  },
)

hostile(
  'P11: a token that deploys the proxy while it is asked changes nothing that is signed',
  async () => {
    const { status, body } = await ask(victim, deployer)
    assert.is(status, 200)
    const receipt = await waitForReceipt({ rpcUrl: chain.rpcUrl, hash: body.txHash as Hex })
    assert.is(receipt.status, 'success')
    assert.ok(receipt.gasUsed > 60_000n && receipt.gasUsed < 80_000n, String(receipt.gasUsed))
  },
)

hostile(
  'the simulated head follows: the deployed proxy is there for the next request',
  async () => {
    const deadline = Date.now() + 10_000
    let { body } = await ask(victim, lyingToken)
    while (!body.existing && Date.now() < deadline) body = (await ask(victim, lyingToken)).body
    assert.is(body.existing, true)
  },
)

hostile('gate 4 tells the reason of a revert [relay/gate-4-reason]', async () => {
  const owner = ownerAt(2, 'reason')
  await giveNative(rpc, owner)
  // deploy(address) reverts with Error("not today"); everything else answers a zero word.
  const message = Buffer.from('not today').toString('hex')
  const code =
    `0x5f3560e01c634c96a3891460125760205ff35b6308c379a05f526020602052600960405268${message}60b81b6060526064601cfd`.replaceAll(
      ' ',
      '',
    )
  const original = await rpc('eth_getCode', factory, 'latest')
  await rpc('anvil_setCode', factory, code)
  await rpc('evm_mine')
  const deadline = Date.now() + 10_000
  let { body } = await ask(owner, lyingToken)
  while (!body.error && Date.now() < deadline) body = (await ask(owner, lyingToken)).body
  await rpc('anvil_setCode', factory, original)
  await rpc('evm_mine')
  assert.is(body.error, 'simulation reverted: not today')
})

hostile('P10: gates 1 to 5 decide even while the fees cannot be read', async () => {
  upstream.break({ fault: 'reset', matches: () => true })
  const refused = await ask(ownerAt(3, 'poor'), lyingToken)
  assert.equal([refused.status, refused.body.error], [400, 'owner has no native balance'])
  const owner = ownerAt(4, 'rich')
  const unread = await ask(victim, lyingToken)
  assert.equal([unread.status, unread.body.existing], [200, true])
  assert.is((await ask(owner, tokenAt(0))).status, 400)
  // Whom those gates let pass is told that the chain is away, and nothing is signed for him.
  await prepareOwners(chain, [owner])
  await rpc('evm_mine')
  const before = await stand.relay.history({})
  const sent = await rpc('eth_getTransactionCount', stand.signer.address, 'pending')
  let unpriced = await ask(owner, lyingToken)
  const deadline = Date.now() + 10_000
  // The fork follows the block in which he has his balance a moment later.
  while (unpriced.status === 400 && Date.now() < deadline) unpriced = await ask(owner, lyingToken)
  assert.equal([unpriced.status, unpriced.body.code], [502, 'chain_unreachable'])
  assert.equal(await stand.relay.history({}), before)
  assert.is(await rpc('eth_getTransactionCount', stand.signer.address, 'pending'), sent)
})

hostile('serves from the chain itself while the forks are gone', async () => {
  upstream.mend()
  await simulator.close()
  const owner = ownerAt(5, 'forkless')
  await prepareOwners(chain, [owner])
  const deadline = Date.now() + 15_000
  let answer = await ask(owner, lyingToken)
  // The upstream of the last test rests for a while.
  while (answer.status === 502 && Date.now() < deadline) answer = await ask(owner, lyingToken)
  assert.is(answer.status, 200)
  assert.ok(stand.events.some(({ kind }) => kind === 'simulator_bypassed'))
  for (const [index, [what]] of tokens.entries())
    assert.is((await ask(victim, tokenAt(index))).body.existing, true, what)
  const refused = await Promise.all(
    tokens.map((_, index) => ask(ownerAt(6, 'none'), tokenAt(index))),
  )
  for (const { body } of refused) assert.is(body.error, 'owner balance does not cover this amount')
})

hostile.after(async () => {
  await stand.close()
  await simulator.close()
  await upstream.close()
  await chain.close()
})
hostile.run()
