import { connect, createConfig } from '@wagmi/core'
import { createClient, readManifest, type SwapOrder, swap, type Wallet } from 'forkyard/client'
import { announceWallet, createTestWallet } from 'forkyard/wallet'
import { formatUnits, http, parseEther } from 'viem'
import { base } from 'viem/chains'

/** A page with wagmi, which knows nothing of the wallet that a test brings: it discovers it. */
const labUrl = new URLSearchParams(location.search).get('lab') ?? undefined
const manifest = await readManifest(labUrl)
const { rpcUrl, executor, tokens, accounts } = manifest.chains[base.id]

// What a test adds; `window.wallet.set({ answer: 'reject' })` is how it plays the person.
const wallet = createTestWallet({
  ...manifest,
  chainId: base.id,
  privateKey: accounts[2].privateKey,
})
announceWallet(wallet.provider)
Object.assign(window, { wallet })

const config = createConfig({ chains: [base], transports: { [base.id]: http(rpcUrl) } })
const output = document.querySelector('output')
const show = (text: string) => output?.replaceChildren(text)

async function onClick() {
  show('')
  try {
    const connector = config.connectors.find(({ id }) => id === 'dev.forkyard.wallet')
    if (!connector) throw new Error('no wallet was discovered')
    if (config.state.current === null) await connect(config, { connector })
    const [address] = await connector.getAccounts()
    const provider = (await connector.getProvider()) as Pick<Wallet, 'request'>
    const order: SwapOrder = {
      chainId: base.id,
      tokenIn: tokens.WETH.address,
      tokenOut: tokens.USDC.address,
      amountIn: parseEther('1'),
      executor,
    }
    const owner = { address, request: (call: { method: string }) => provider.request(call) }
    const { amountOut } = await swap({ client: createClient(manifest), wallet: owner }, order)
    show(`got ${formatUnits(amountOut, tokens.USDC.decimals)} USDC`)
  } catch (error) {
    show(`failed: ${error instanceof Error ? error.message : error}`)
  }
}
document.querySelector('button')?.addEventListener('click', () => void onClick())
show('ready')
