import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  parseEther,
  toHex,
} from 'viem'
import { createRpc, type Rpc } from '../../fixtures/anvil/rpc.ts'
import {
  deployerAccount,
  labAccounts,
  relayerAccount,
} from '../../fixtures/world/parts/accounts.ts'
import { createBuilder } from '../../fixtures/world/parts/builder.ts'
import { deployOwnContracts } from '../../fixtures/world/parts/ownContracts.ts'
import { type Chain, getDexes, seedTokens } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { readOrigins } from '../http/pages.ts'
import { toChainEnvironment } from './chainEnvironment.ts'
import { type ChainToResume, type ForkOrigin, readOrigin, resumeChain } from './keptChain.ts'
import type { LabChain, LabEnvironment } from './labChain.ts'
import type { LabChainManifest } from './manifest.ts'
import { freezeVariable } from './packs/freezeTime.ts'
import { takeChainPort } from './ports.ts'
import { startGuardedFork } from './startGuardedFork.ts'

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
  kept,
}: {
  readonly chain: Chain
  readonly upstreamUrl: string
  readonly env: LabEnvironment
  readonly kept?: ChainToResume | undefined
}): Promise<LabChain> {
  const { chainId } = chain
  const port = await takeChainPort(chain, env)
  const { rpcUrl, anvilUrl, close } = await startGuardedFork({
    chain,
    upstreamUrl,
    port,
    origins: readOrigins(env['LAB_ORIGINS']),
    args: kept ? toResumeFlags(kept) : [],
  })
  try {
    const rpc = createRpc(anvilUrl)
    const isHeld = Boolean(env[freezeVariable])
    const origin = await readOrigin(rpc)
    if (kept && kept.origin?.hash !== origin.hash) throw foreignFork(chain, origin)
    if (kept) await resumeChain(rpc, { kept, isHeld })
    const made = kept?.manifest ?? (await furnish(rpc, { chain, isHeld }))
    await rpc('anvil_autoImpersonateAccount', false)
    const manifest = { ...made, rpcUrl }
    return {
      chainId,
      forked: true,
      manifest,
      anvilUrl,
      origin,
      env: {
        ...toChainEnvironment(chain, { manifest, relayerKey: relayerAccount.privateKey }),
        [freezeVariable]: env[freezeVariable] ?? '',
        [settingName(chain, 'FORK_ORIGIN_URL')]: upstreamUrl,
        [settingName(chain, 'FORK_ORIGIN_BLOCK')]: origin.number,
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const toResumeFlags = ({ origin, statePath }: ChainToResume) => [
  ...(origin ? ['--fork-block-number', origin.number] : []),
  '--load-state',
  statePath,
]

const foreignFork = (chain: Chain, { number }: ForkOrigin) =>
  new Error(
    `${settingName(chain, 'RPC_URL')} has another block ${number} than the one that the kept chain forked`,
  )

/** Our contracts, and accounts with tokens. */
async function furnish(
  rpc: Rpc,
  { chain, isHeld }: { readonly chain: Chain; readonly isHeld: boolean },
): Promise<Omit<LabChainManifest, 'rpcUrl'>> {
  const { chainId } = chain
  await resetAccounts(rpc)
  // Each block a second after the one before: held at the pack's time, and the same in every run.
  if (isHeld) await rpc('anvil_setBlockTimestampInterval', 1)
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
  const dexes = getDexes(chainId).map(({ name, protocol, factory, quoter, router }) => ({
    name,
    protocol,
    factory,
    quoter: quoter ?? null,
    router: router ?? null,
    pools: 0,
  }))
  const accounts = labAccounts.map((account) => ({ ...account, funded }))
  return { ...own, relayer: relayerAccount.address, tokens, dexes, accounts }
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
