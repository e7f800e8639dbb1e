import { createClient, readManifest, swap } from 'forkyard/client'
import { createWalletClient, formatUnits, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

/** `npx forkyard lab` in another terminal, then `node swap.ts`: one WETH into USDC. */
const manifest = await readManifest(process.env['LAB_URL'])
const { rpcUrl, executor, tokens, accounts } = manifest.chains[base.id]
const account = privateKeyToAccount(accounts[0].privateKey)
const node = createWalletClient({ account, chain: base, transport: http(rpcUrl) })
const { amountOut, txHash } = await swap(
  {
    client: createClient(manifest),
    wallet: { ...account, request: node.request, sendTransaction: node.sendTransaction },
  },
  {
    chainId: base.id,
    tokenIn: tokens.WETH.address,
    tokenOut: tokens.USDC.address,
    amountIn: parseEther('1'),
    executor,
  },
)
process.stdout.write(`${formatUnits(amountOut, tokens.USDC.decimals)} USDC by ${txHash}\n`)
