/**
 * Proof: 500 random exact-output quotes, executed. Each delivers at least its target and spends exactly
 * `input_consumed`; prints how far the input lies above the least one a finer search finds.
 *
 * Usage: `node gateway/routing/exactOutput.proof.ts [count]`
 */
import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { readContract } from 'viem/actions'
import { send } from '../../fixtures/send.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createRouting } from './createRouting.ts'

const count = Number(process.argv[2] ?? 500)
const chainId = 8453
const world = await startWorldChain({ chainId })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const { client } = chainClient
const routing = await createRouting({
  chains: [{ chainClient, executor: world.manifest.executor, maxAgeMs: 0, pollMs: 3_600_000 }],
  simulator: undefined,
  serviceName: 'proof',
  version: '0',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
})
const [account] = world.manifest.accounts
if (!account) throw new Error('the world funds accounts')
const sender = { rpcUrl: world.rpcUrl, privateKey: account.privateKey }
const tokens = Object.entries(world.manifest.tokens).filter(
  ([symbol]) => symbol !== 'TAX' && symbol !== 'REBASE',
)

let seed = 20_261_121
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}
const balanceOf = (token: `0x${string}`) =>
  readContract(client, {
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  })

for (const [, { address }] of tokens)
  await send(sender, {
    to: address,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [world.manifest.executor, maxUint256],
    }),
  })

let executed = 0
let failed = 0
while (executed + failed < count) {
  const [a, b] = [tokens[random(tokens.length)], tokens[random(tokens.length)]]
  if (!a || !b || a === b) continue
  const [tokenIn, tokenOut] = [a[1].address, b[1].address]
  const maxInput = BigInt(account.funded[a[0]] ?? 0) / 1_000n
  const base = { chainId, tokenIn, tokenOut, slippageBps: 50, taker: account.address }
  const limit = await routing.quote({ ...base, amountIn: maxInput })
  if (limit.status !== 'ok') continue
  const targetOutput = (limit.quote.amountOut * BigInt(1 + random(9_000))) / 10_000n
  if (targetOutput === 0n) continue
  const outcome = await routing.quoteExactOutput({
    ...{ ...base, targetOutput, maxInput },
    executableOnly: true,
  })
  if (outcome.status !== 'ok' || !outcome.quote.execution) {
    failed += 1
    process.stdout.write(`no payload: ${limit.quote.routePath}\n`)
    continue
  }
  const { execution, inputConsumed, amountOut, routePath } = outcome.quote
  const [paidBefore, heldBefore] = await Promise.all([balanceOf(tokenIn), balanceOf(tokenOut)])
  const { target, data, value } = execution
  await send(sender, { to: target, data, value, gas: 8_000_000n })
  const [paidAfter, heldAfter] = await Promise.all([balanceOf(tokenIn), balanceOf(tokenOut)])
  const isRight =
    heldAfter - heldBefore === amountOut &&
    amountOut >= targetOutput &&
    paidBefore - paidAfter === inputConsumed
  if (isRight) executed += 1
  else {
    failed += 1
    process.stdout.write(`wrong: ${routePath}\n`)
  }
}
process.stdout.write(`${executed} executed as promised, ${failed} not\n`)
process.exitCode = failed === 0 ? 0 : 1
await routing.close()
chainClient.close()
await world.close()
