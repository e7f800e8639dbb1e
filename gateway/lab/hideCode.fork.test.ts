import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { send } from '../../fixtures/chains/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { getChain, getDexes } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { startRouting } from '../routing/testing/startRouting.ts'
import { startLabChain } from './chains.ts'
import { hideCode } from './hideCode.ts'
import { anyPorts } from './ports.ts'

const s = suite('contracts that a lab shows without code')
const chainId = 8453
/** TOSHI: the chain is to run it itself. */
const codeless: Address = '0xAC1Bd2486aAf3B5C0fc3Fd868558b082a531B2B4'
const env = { ...anyPorts, LAB_CODELESS: codeless }
const lab = await startLabChain({ chainId, env, step: () => undefined })
const chain = getChain(chainId)
/** What the lab's gateway is told. */
const rpcUrl = lab.env['BASE_RPC_URL']
const weth = lab.manifest.tokens['WETH']?.address
const [account, friend] = lab.manifest.accounts
if (!chain || !rpcUrl || !weth || !account || !friend) throw new Error('the lab has them')
const { address: taker, privateKey } = account
// Whoever lately received it pays for dry runs that sell it: its balances lie in no slot that is known.
const args = [friend.address, 10n ** 18n] as const
const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
await send({ rpcUrl, privateKey }, { to: codeless, data })
const chainClient = createChainClient({ chain, rpcUrls: [rpcUrl] })
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
const dexes = getDexes(chainId).filter(({ name }) => name === 'uniswap-v2')
const { executor } = lab.manifest
const routing = await startRouting(simulator, { chainClient, executor, dexes })
s.after(async () => {
  await routing.close()
  await simulator.close()
  chainClient.close()
  await lab.close()
})

s('have none for whoever asks, one by one or together', async () => {
  const rpc = createRpc(rpcUrl)
  assert.is(await rpc('eth_getCode', codeless, 'latest'), '0x')
  assert.is.not(await rpc('eth_getCode', weth, 'latest'), '0x')
  const hidden = new Set([codeless.toLowerCase()])
  const read = { method: 'eth_getAccountInfo', params: [codeless, 'latest'] }
  const other = { method: 'eth_getBalance', params: [codeless, 'latest'] }
  const text = (value: unknown) => hideCode(Buffer.from(JSON.stringify(value)), hidden).toString()
  assert.not.match(text(read), codeless)
  assert.is(text([read, other]).split(codeless).length, 2)
  assert.is(hideCode(Buffer.from('{'), hidden).toString(), '{')
})

s('are not told of over a websocket, which nobody reads [attack/codeless-websocket]', async () => {
  const socket = new WebSocket(rpcUrl.replace('http', 'ws'))
  const told = await new Promise((resolve) => {
    socket.addEventListener('open', () => resolve('open'))
    socket.addEventListener('error', () => resolve('refused'))
  })
  socket.close()
  assert.is(told, 'refused')
})

for (const [what, pair] of [
  ['bought', [weth, codeless]],
  ['sold', [codeless, weth]],
] as const)
  s(`are dry-run on their chain, ${what} [21/codeless-lab]`, async () => {
    const [tokenIn, tokenOut] = pair
    const asked = { chainId, tokenIn, tokenOut, amountIn: 10n ** 17n, slippageBps: 50 }
    const outcome = await routing.quote({ ...asked, taker, verify: true })
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    const { readiness, verification } = outcome.quote
    assert.is(
      readiness,
      'verified',
      JSON.stringify(verification, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    )
  })
s.run()
