import { formatUnits, JsonRpcProvider, parseEther, Wallet } from 'ethers'
import { createClient, readManifest, swap } from 'forkyard/client'

/** The same swap with ethers 6. */
const manifest = await readManifest(process.env['LAB_URL'])
const { rpcUrl, executor, tokens, accounts } = manifest.chains[8453]
// Its cache would give the swap the nonce of the approval, a moment before.
const provider = new JsonRpcProvider(rpcUrl, undefined, { cacheTimeout: -1 })
const signer = new Wallet(accounts[1].privateKey, provider)
const { amountOut, txHash } = await swap(
  {
    client: createClient(manifest),
    wallet: {
      address: accounts[1].address,
      request: ({ method, params }) => provider.send(method, params as unknown[]),
      async sendTransaction(call) {
        const { hash } = await signer.sendTransaction(call)
        return hash as `0x${string}`
      },
    },
  },
  {
    chainId: 8453,
    tokenIn: tokens.WETH.address,
    tokenOut: tokens.USDC.address,
    amountIn: parseEther('1'),
    executor,
  },
)
process.stdout.write(`${formatUnits(amountOut, tokens.USDC.decimals)} USDC by ${txHash}\n`)
provider.destroy()
