import { type Hex, zeroAddress } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { startFaultProxy } from '../../fixtures/chains/faultProxy.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import { lyingToken, ownerAt, prepareOwners } from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { encodeDeploy } from './signer.ts'

/** What the chain's node says of a deployment, beside what a fork of the same block says. */
const s = suite('deployments run by the node')
const closers: (() => Promise<void>)[] = []
s.after(async () => {
  for (const close of closers) await close()
})

async function open(chainId: number) {
  const chain = await startWorldChain({ chainId })
  const able = await startFaultProxy({ target: chain.rpcUrl })
  const unable = await startFaultProxy({ target: chain.rpcUrl })
  unable.break({ fault: 'rpcError', matches: ({ method }) => method === 'eth_simulateV1' })
  const [byNode, byFork] = await Promise.all(
    [able, unable].map(({ rpcUrl }) =>
      createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] }),
    ),
  )
  if (!byNode || !byFork) throw new Error('there are two')
  closers.unshift(byNode.close, byFork.close, able.close, unable.close, chain.close)
  const { proxyFactory: factory, relayer } = chain.manifest
  const rpc = createRpc(chain.rpcUrl)
  return {
    chain,
    /** As the node says it, as a fork does, and how often the node was asked by such a call. */
    async ask(owner = ownerAt(0, 'node runs'), tokenIn = lyingToken) {
      const asked = { chainId, factory, owner, tokenIn, relayer: relayer.address }
      const count = () => able.seen.calls.get('eth_simulateV1') ?? 0
      const before = count()
      const reports = await Promise.all([byNode, byFork].map((one) => one.simulateDeploy(asked)))
      return { reports, node: count() - before }
    },
    async deploy(owner = ownerAt(0, 'node runs')) {
      await rpc('anvil_impersonateAccount', relayer.address)
      const data = encodeDeploy(owner)
      const transaction = { from: relayer.address, to: factory, data }
      const hash = await rpc('eth_sendTransaction', transaction)
      await waitForReceipt({ rpcUrl: chain.rpcUrl, hash: hash as Hex })
    },
  }
}

const base = await open(8453)

s('whoever asks after a block is answered from it [relay/node-head]', async () => {
  const { chain, ask, deploy } = base
  const owners = Array.from({ length: 5 }, (_, index) => ownerAt(index, 'node heads'))
  await prepareOwners(chain, owners)
  for (const owner of owners) {
    assert.is((await ask(owner)).reports[0]?.existingProxy, undefined)
    await deploy(owner)
    const { reports, node } = await ask(owner)
    assert.equal([reports[0]?.existingProxy, node], [reports[0]?.predictedProxy, 1])
  }
})
for (const { chain, ask, deploy } of [base, await open(42161)])
  s(`${chain.chainId}: it says of each owner what a fork does [relay/node-as-fork]`, async () => {
    const [fresh, poor, served] = [0, 1, 2].map((index) => ownerAt(index, 'node runs'))
    if (!fresh || !poor || !served) throw new Error('there are three')
    await prepareOwners(chain, [fresh, served])
    await deploy(served)
    const usdc = chain.manifest.tokens['USDC']?.address
    for (const owner of [fresh, poor, served])
      for (const tokenIn of [lyingToken, usdc]) {
        const { reports, node } = await ask(owner, tokenIn)
        const [byNode, byFork] = reports
        assert.equal(byNode, byFork)
        assert.is(node, 1)
        assert.is(byNode?.deploy.status, 'ok')
        assert.is(byNode?.existingProxy !== undefined, owner === served)
        assert.is(byNode?.nativeBalance === 0n, owner === poor)
      }
    // Of these a fork has the last word.
    for (const tokenIn of [ownerAt(0, 'no token'), zeroAddress]) {
      const { reports } = await ask(fresh, tokenIn)
      assert.equal(reports[0], reports[1])
      assert.is(reports[0]?.tokenBalance, undefined)
    }
  })
s.run()
