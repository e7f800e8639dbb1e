import type { Address } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startFaultProxy } from '../../fixtures/chains/faultProxy.ts'
import {
  giveNative,
  lyingToken,
  lyingTokenCode,
  ownerAt,
  type RelayAnswerBody,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import type { RelayLimits } from './limits.ts'

/** What gates 1 to 7 cost upstream: HTTP requests of the relay itself, and reads of the forks. */
const trips = suite('round trips of the relay')
const chain = await startWorldChain({ chainId: 8453 })
const { chainId, manifest } = chain
const rpc = createRpc(chain.rpcUrl)
const upstream = await startFaultProxy({ target: chain.rpcUrl })
const forkUpstream = await startFaultProxy({ target: chain.rpcUrl })
// A node that runs deployments itself leaves forks nothing to read.
const runs = ({ method }: { readonly method: string }) => method === 'eth_simulateV1'
forkUpstream.break({ fault: 'rpcError', matches: runs })
/** A fork reads an account by the first of these, or by the second, a nonce and the code; a slot by the third. */
const stateReads: ReadonlySet<string> = new Set([
  'eth_getAccountInfo',
  'eth_getBalance',
  'eth_getStorageAt',
])
/** The owner's account, the proxy's, and a balance. */
const ofOwner = 3
/** Answers a zero word to everything but deploy(address), which reverts with Error("not today"). */
const refusingFactory: Address = '0x00000000000000000000000000000000000fac70'
const message = Buffer.from('not today').toString('hex')
await rpc(
  'anvil_setCode',
  refusingFactory,
  `0x5f3560e01c634c96a3891460125760205ff35b6308c379a05f526020602052600960405268${message}60b81b6060526064601cfd`,
)
await rpc('anvil_setCode', lyingToken, lyingTokenCode)
await rpc('evm_mine')
const simulator = await createSimulator({
  chains: [{ chainId, upstreamUrl: forkUpstream.rpcUrl }],
})
const closers = [simulator.close, upstream.close, forkUpstream.close, chain.close]
trips.after(async () => {
  for (const close of closers) await close()
})
async function open(limits: Partial<RelayLimits> = {}, factory = manifest.proxyFactory) {
  const stand = await startRelayStand({
    chain: { ...chain, manifest: { ...manifest, proxyFactory: factory } },
    simulator,
    rpcUrl: upstream.rpcUrl,
    limits,
  })
  closers.unshift(stand.close)
  return stand
}
const stand = await open()
const usdc = manifest.tokens['USDC']?.address

/** HTTP requests of the relay, and accounts and slots that forks read, while `work` runs. */
async function count(work: () => Promise<RelayAnswerBody>) {
  const readForks = () =>
    [...forkUpstream.seen.calls].reduce(
      (sum, [method, calls]) => (stateReads.has(method) ? sum + calls : sum),
      0,
    )
  const [relayBefore, forksBefore] = [upstream.seen.requests, readForks()]
  const { body } = await work()
  return {
    says: body.error ?? (body.existing ? 'existing' : 'deployed'),
    relay: upstream.seen.requests - relayBefore,
    forks: readForks() - forksBefore,
  }
}
let named = 0
async function ask(on: RelayStand, { tokenIn = lyingToken, isPoor = false } = {}) {
  const owner = ownerAt(named++, 'trips')
  if (!isPoor) await giveNative(rpc, owner)
  const request = { chainId, owner, tokenIn, amountIn: '1' }
  const first = await count(() => on.post(request))
  return { first, again: await count(() => on.post(request)) }
}

type Row = readonly [gate: number, says: string, on: RelayStand, who?: Parameters<typeof ask>[1]]
const rows: readonly Row[] = [
  [2, 'owner balance does not cover this amount', stand, { tokenIn: usdc }],
  [3, 'owner has no native balance', stand, { isPoor: true }],
  [4, 'simulation reverted: not today', await open({}, refusingFactory)],
  [5, 'proxy deployment exceeds the sponsored gas cap', await open({ gasCap: 50_000 })],
  [6, 'relay fee ceiling exceeded on this chain right now', await open({ maxRelayFeeWei: 1n })],
  [7, 'relay is not funded on this chain', await open({ minRelayerBalanceWei: 2n ** 200n })],
]
for (const [gate, says, on, who] of rows)
  trips(`${gate}: one request of the relay, and a fork reads an owner only once`, async () => {
    // What every owner's deployment touches is read with the first one's.
    await ask(on, who)
    let seen = await ask(on, who)
    // A fork that a busy machine has replaced in this moment reads all of it anew.
    for (let tries = 0; tries < 5 && seen.first.forks + seen.again.forks > ofOwner; tries += 1)
      seen = await ask(on, who)
    assert.equal(seen.again, { says, relay: 1, forks: 0 })
    assert.equal([seen.first.says, seen.first.relay], [says, 1])
    assert.ok(seen.first.forks <= ofOwner, `${seen.first.forks} reads`)
  })

trips(
  'a fork of a new block fetches nothing of the owners before [relay/cold-owners]',
  async () => {
    const rollAfter = async (owners: number) => {
      for (let asked = 0; asked < owners; asked += 1) await ask(stand, { isPoor: true })
      await rpc('evm_mine')
      return (await ask(stand, { isPoor: true })).first.forks
    }
    await rollAfter(1)
    const few = await rollAfter(1)
    const many = await rollAfter(8)
    // Each would be two accounts, and anvil may ask for any in two ways.
    assert.ok(many < few + 8, `${few} and ${many} reads`)
  },
)
trips(
  'whoever asks is one run of the node, and no fork reads anything [relay/node-trips]',
  async () => {
    const node = await startFaultProxy({ target: chain.rpcUrl })
    const able = await createSimulator({ chains: [{ chainId, upstreamUrl: node.rpcUrl }] })
    const asking = await startRelayStand({ chain, simulator: able, rpcUrl: upstream.rpcUrl })
    closers.unshift(asking.close, able.close, node.close)
    const { calls } = node.seen
    const readsBefore = [...stateReads].map((method) => calls.get(method))
    for (let asked = 1; asked <= 3; asked += 1) {
      const { first } = await ask(asking, { isPoor: true })
      assert.equal([first.says, first.relay], ['owner has no native balance', 1])
      assert.is(calls.get('eth_simulateV1'), asked)
    }
    assert.equal(
      [...stateReads].map((method) => calls.get(method)),
      readsBefore,
    )
  },
)
trips('1: one request for an owner with a proxy; two where a deployment is sent', async () => {
  const owner = ownerAt(named++, 'trips')
  await giveNative(rpc, owner)
  const request = { chainId, owner, tokenIn: lyingToken, amountIn: '1' }
  const sent = await count(() => stand.post(request))
  assert.equal([sent.says, sent.relay], ['deployed', 2])
  const isExisting = async () => (await count(() => stand.post(request))).says === 'existing'
  await waitFor('a fork has seen the proxy', isExisting)
  const { says, relay } = await count(() => stand.post(request))
  assert.equal({ says, relay }, { says: 'existing', relay: 1 })
})
trips.run()
