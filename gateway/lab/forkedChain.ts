import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  parseEther,
  toHex,
} from 'viem'
import { startAnvil } from '../../fixtures/anvil.ts'
import { createRpc, type Rpc } from '../../fixtures/rpc.ts'
import { deployerAccount, labAccounts, relayerAccount } from '../../fixtures/world/accounts.ts'
import { createBuilder } from '../../fixtures/world/builder.ts'
import { deployOwnContracts } from '../../fixtures/world/infrastructure.ts'
import { forkThreads } from '../../simulator/anvilBinary.ts'
import type { Chain } from '../chain/chains.ts'
import { getDexes } from '../chain/dexes.ts'
import { seedTokens } from '../chain/tokens.ts'
import { toChainEnvironment } from './chainEnvironment.ts'
import type { LabChain, LabEnvironment } from './chains.ts'
import { guardReads } from './guardReads.ts'
import { takeChainPort } from './ports.ts'

const labEther = parseEther('10000')
/** Enough for the largest of our contracts, and within every chain's limit for one transaction. */
const deployGasLimit = 16_000_000n
/** Whole tokens given to each account, of every token whose balance slot anvil can find. */
const labTokens = 10_000n

/** A mutable fork of the real chain, with Forkyard's contracts deployed and the lab accounts funded. */
export async function startForkedChain({
  chain,
  upstreamUrl,
  env,
}: {
  readonly chain: Chain
  readonly upstreamUrl: string
  readonly env: LabEnvironment
}): Promise<LabChain> {
  const { chainId } = chain
  const anvil = await startAnvil({
    args: [
      ...['--fork-url', upstreamUrl, '--chain-id', String(chainId), '--accounts', '0'],
      ...['--no-cors', '--auto-impersonate', '--no-storage-caching', '--timeout', '10000'],
      ...['--threads', String(forkThreads)],
    ],
  }).catch((error: Error) => {
    // anvil prints the URL, which may hold a key, into every message about its upstream.
    throw new Error(
      `cannot fork ${chain.name}: ${error.message.replaceAll(upstreamUrl, `$${chain.envPrefix}_RPC_URL`)}`,
    )
  })
  const guarded = await guardReads({
    anvilPort: anvil.port,
    port: await takeChainPort(chain, env),
  }).catch(async (error: unknown) => {
    await anvil.close()
    throw error
  })
  const close = async () => {
    await Promise.all([guarded.close(), anvil.close()])
  }
  try {
    const rpc = createRpc(anvil.rpcUrl)
    const forkBlock = hexToBigInt((await rpc('eth_blockNumber')) as Hex)
    await resetAccounts(rpc)
    const builder = createBuilder({
      rpc,
      chainId,
      deployer: deployerAccount.address,
      gasLimit: deployGasLimit,
      gasPriceWei: 2n * hexToBigInt((await rpc('eth_gasPrice')) as Hex),
    })
    const own = await deployOwnContracts(builder, {
      weth: chain.wrappedNative,
      usdc: chain.usdc.address,
    })
    const { tokens, funded } = await fundTokens(rpc, chain)
    await rpc('anvil_autoImpersonateAccount', false)
    const manifest = {
      rpcUrl: guarded.rpcUrl,
      ...own,
      relayer: relayerAccount.address,
      tokens,
      dexes: getDexes(chainId).map(({ name, protocol, factory, quoter, router }) => ({
        name,
        protocol,
        factory,
        quoter: quoter ?? null,
        router: router ?? null,
        pools: 0,
      })),
      accounts: labAccounts.map((account) => ({ ...account, funded })),
    }
    return {
      chainId,
      forked: true,
      manifest,
      env: {
        ...toChainEnvironment(chain, { manifest, relayerKey: relayerAccount.privateKey }),
        [`${chain.envPrefix}_FORK_ORIGIN_URL`]: upstreamUrl,
        [`${chain.envPrefix}_FORK_ORIGIN_BLOCK`]: String(forkBlock),
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** On real chains the well-known test accounts carry delegations (EIP-7702) that sweep whatever arrives. */
async function resetAccounts(rpc: Rpc) {
  for (const { address } of [...labAccounts, relayerAccount, deployerAccount]) {
    await rpc('anvil_setCode', address, '0x')
    await rpc('anvil_setBalance', address, toHex(labEther))
  }
}

async function fundTokens(rpc: Rpc, chain: Chain) {
  const tokens: Record<string, { address: Address; decimals: number }> = {}
  const funded: Record<string, string> = { ETH: String(labEther) }
  for (const { symbol, address, decimals } of seedTokens(chain.chainId)) {
    if (!chain.hubTokens.includes(address)) continue
    const amount = labTokens * 10n ** BigInt(decimals)
    const dealt = await Promise.all(
      labAccounts.map((account) => deal(rpc, { token: address, account: account.address, amount })),
    )
    if (!dealt.every(Boolean)) continue
    tokens[symbol] = { address, decimals }
    funded[symbol] = String(amount)
  }
  return { tokens, funded }
}

/** False where anvil can't find the token's balance slot. */
async function deal(
  rpc: Rpc,
  { token, account, amount }: { token: Address; account: Address; amount: bigint },
) {
  const isDone = await rpc('anvil_dealERC20', account, token, toHex(amount)).then(
    () => true,
    () => false,
  )
  if (!isDone) return false
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  // A token that answers nothing was no token; the chain answers hex.
  const balance = (await rpc('eth_call', { to: token, data }, 'latest')) as Hex
  return balance !== '0x' && hexToBigInt(balance) === amount
}
