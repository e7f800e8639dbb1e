import { numberToHex } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { rpcFaults, startFaultProxy } from '../../fixtures/chains/faultProxy.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'

/** The upstream fails while a gate reads: 502, nothing signed, nothing sent, and the next request works. */
const faults = suite('relay faults')
/** A failing upstream is left alone for up to ten seconds, hence the patience. */
const patient = { deadlineMs: 60_000, everyMs: 50 }
const chain = await startWorldChain({ chainId: 42161 })
const { chainId } = chain
const rpc = createRpc(chain.rpcUrl)
const relayer = chain.manifest.relayer.address
let names = 0
const closers: (() => Promise<void>)[] = []

async function setUp() {
  const proxy = await startFaultProxy({ target: chain.rpcUrl })
  const stand = await startRelayStand({ chain, rpcUrl: proxy.rpcUrl, timeoutMs: 1_000 })
  closers.push(async () => {
    await stand.close()
    await proxy.close()
  })
  return { proxy, stand }
}
async function newOwner() {
  const owner = ownerAt(names++, 'faults')
  await prepareOwners(chain, [owner])
  return owner
}
type Seen = { readonly method: string; readonly params?: unknown }
const says = (text: string) => (call: Seen) =>
  JSON.stringify(call.params ?? [])
    .toLowerCase()
    .includes(text.toLowerCase())
const gateReads: readonly (readonly [string, (call: Seen, owner: string) => boolean])[] = [
  ['1 Proxy state', (call) => call.method === 'eth_call' && says('0xc1a9a508')(call)],
  ['2 Token balance', (call) => call.method === 'eth_call' && says('70a08231')(call)],
  ['3 Native balance', (call, owner) => call.method === 'eth_getBalance' && says(owner)(call)],
  ['4 Simulation', (call) => call.method === 'eth_estimateGas'],
  ['6 Fee ceiling', (call) => call.method === 'eth_getBlockByNumber'],
  ['6 Fee ceiling (tip)', (call) => call.method === 'eth_maxPriorityFeePerGas'],
  ['7 Relayer funding', (call) => call.method === 'eth_getBalance' && says(relayer)(call)],
  ['8 to 10 (nonce)', (call) => call.method === 'eth_getTransactionCount'],
]
/** A stand is made before any is asked: making dozens holds the loop, and a call of another's has a second. */
const stands = await Promise.all(
  gateReads.flatMap(([gate, matches]) =>
    rpcFaults.map(async (fault) => ({
      gate,
      matches,
      fault,
      owner: await newOwner(),
      ...(await setUp()),
    })),
  ),
)
const nonceBefore = await rpc('eth_getTransactionCount', relayer, 'pending')

async function check({ matches, fault, owner, proxy, stand }: (typeof stands)[number]) {
  let hits = 0
  const rule = (call: Seen) => {
    const hit = matches(call, owner)
    if (hit) hits += 1
    return hit
  }
  proxy.break({ fault, matches: rule })
  const { status, body } = await stand.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
  const said = `${JSON.stringify(body)} ${stand.events.map((event) => ('cause' in event ? String(event.cause) : '')).join(' ')}`
  assert.ok(hits > 0, `the fault was never met: ${said}`)
  assert.equal([status, body.code], [502, 'chain_unreachable'], fault)
  assert.equal(await stand.relay.history({}), [])
  assert.is(await rpc('eth_getTransactionCount', relayer, 'pending'), nonceBefore)
  assert.not.match(said, proxy.rpcUrl)
}

// All at once: each waits for timeouts and rests of its own upstream. Errors surface in the tests.
const checks = gateReads.map(async ([gate]) => {
  const outcomes = await Promise.allSettled(stands.filter((one) => one.gate === gate).map(check))
  return outcomes.filter(({ status }) => status === 'rejected')
})
for (const [index, [gate]] of gateReads.entries())
  faults(`P10: gate ${gate} answers 502 to every fault of the upstream [relay/502]`, async () => {
    assert.equal(await checks[index], [])
  })

for (const fault of ['silence', 'reset', 'half', 'rpcError'] as const)
  faults(
    `a broadcast that meets ${fault} keeps its row and is sent again [relay/sent-again]`,
    async () => {
      const owner = await newOwner()
      const { proxy, stand } = await setUp()
      proxy.break({ fault, matches: ({ method }) => method === 'eth_sendRawTransaction' })
      const { status, body } = await stand.post({
        chainId,
        owner,
        tokenIn: lyingToken,
        amountIn: '1',
      })
      assert.is(status, 200)
      proxy.mend()
      await waitFor(
        'it is mined',
        async () => {
          await stand.relay.reconcile()
          return (await rpc('eth_getTransactionReceipt', body.txHash)) !== null
        },
        patient,
      )
    },
  )

faults('a signer that fails leaves nothing behind: 503, no row, no nonce', async () => {
  let isDown = true
  const stand = await startRelayStand({
    chain,
    wrapSigner: (signer) => ({
      ...signer,
      signDeploy(order) {
        if (isDown) throw new Error('the key service is away')
        return signer.signDeploy(order)
      },
    }),
  })
  closers.push(stand.close)
  const request = { chainId, owner: await newOwner(), tokenIn: lyingToken, amountIn: '1' }
  assert.is((await stand.post(request)).status, 503)
  assert.equal(await stand.relay.history({}), [])
  assert.ok(stand.events.some(({ kind }) => kind === 'store_failed'))
  isDown = false
  assert.is((await stand.post(request)).status, 200)
})

faults('a chain that is down is not servable, and healthy again afterwards', async () => {
  const { proxy, stand } = await setUp()
  const health = async () => ((await stand.get('/health')).body as { status?: string }).status
  proxy.break({ fault: 'reset', matches: () => true })
  const [down] = await stand.relay.status()
  assert.equal(
    [down?.servable, down?.reason, down?.relayerBalanceWei],
    [false, 'chain_unreachable', undefined],
  )
  const said = stand.events.find(({ kind }) => kind === 'chain_unreachable')
  assert.ok(said && 'cause' in said && said.cause instanceof Error)
  assert.is((await stand.get(`/api/intents?chainId=${chainId}`)).status, 200)
  assert.is(await health(), 'error')
  await stand.relay.reconcile()
  assert.ok(stand.events.some(({ kind }) => kind === 'reconcile_failed'))
  proxy.mend()
  await waitFor('it is well', async () => (await health()) === 'ok', patient)
})

faults('a fee spike between two requests refuses the second', async () => {
  const { stand } = await setUp()
  const ask = async () => {
    const owner = await newOwner()
    return stand.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
  }
  const { body } = await ask()
  const isMined = async () => (await rpc('eth_getTransactionReceipt', body.txHash)) !== null
  await waitFor('it is mined', isMined, patient)
  await rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(4_000_000_000n))
  await rpc('evm_mine')
  assert.is((await ask()).body.error, 'relay fee ceiling exceeded on this chain right now')
})

faults.after(async () => {
  for (const close of closers) await close()
  await chain.close()
})
faults.run()
