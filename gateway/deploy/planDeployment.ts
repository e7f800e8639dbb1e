import {
  type Abi,
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  stringToHex,
  zeroHash,
} from 'viem'
import {
  managerLens,
  poolLens,
  probeLens,
  quotaManager,
  quoteLens,
  senderDeployer,
  swapExecutor,
  userProxyFactoryV6,
  userProxyV6,
} from '../../contracts/artifacts.ts'
import type { Chain } from '../chain/chains.ts'

/**
 * Stands on Base, Arbitrum One and nearly every other chain: a call's data are a salt and creation code.
 * https://github.com/Arachnid/deterministic-deployment-proxy
 */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

export type PlannedContract = {
  readonly name: string
  /** What the gateway's setting is called, without the chain's prefix. */
  readonly setting?: string | undefined
  readonly address: Address
  /** Creation code with the constructor's arguments. */
  readonly creation: Hex
  /** The transaction that puts it there. */
  readonly to: Address
  readonly data: Hex
  /** Immutables are zero in it. */
  readonly deployedBytecode: Hex
  /** Whether the address commits to the creation code, arguments included. */
  readonly addressTellsCode: boolean
}

type Artifact = { readonly abi: Abi; readonly bytecode: Hex; readonly deployedBytecode: Hex }

function toCreation({ abi, bytecode }: Artifact, args: readonly unknown[]): Hex {
  return args.length > 0 ? encodeDeployData({ abi, bytecode, args }) : bytecode
}

/** At one address on every chain, whoever sends it. */
function planShared(name: string, artifact: Artifact, args: readonly unknown[] = []) {
  const creation = toCreation(artifact, args)
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: create2Deployer,
    salt: zeroHash,
    bytecode: creation,
  })
  const data = concatHex([zeroHash, creation])
  const { deployedBytecode } = artifact
  return {
    name,
    address,
    creation,
    to: create2Deployer,
    data,
    deployedBytecode,
    addressTellsCode: true,
  }
}

/** solady's CREATE3: a proxy by CREATE2, whose first CREATE is the contract. */
const create3Proxy: Hex = '0x67363d3d37363d34f03d5260086018f3'

/** At one address on every chain for this sender, whatever the arguments. */
function planOwn(
  { deployer, sender, salt }: { deployer: Address; sender: Address; salt: Hex },
  { name, artifact, args }: { name: string; artifact: Artifact; args: readonly unknown[] },
) {
  const parameters = [{ type: 'address' }, { type: 'bytes32' }] as const
  const proxy = getContractAddress({
    opcode: 'CREATE2',
    from: deployer,
    salt: keccak256(encodeAbiParameters(parameters, [sender, salt])),
    bytecode: create3Proxy,
  })
  const creation = toCreation(artifact, args)
  const data = encodeFunctionData({
    abi: senderDeployer.abi,
    functionName: 'deploy',
    args: [salt, creation],
  })
  const address = getContractAddress({ opcode: 'CREATE', from: proxy, nonce: 1n })
  return {
    name,
    address,
    creation,
    to: deployer,
    data,
    deployedBytecode: artifact.deployedBytecode,
    addressTellsCode: false,
  }
}

/** A new version of a contract, or a quota manager on other terms, gets an address of its own. */
function saltOf(name: string, { bytecode }: Artifact, terms: Hex = '0x'): Hex {
  return keccak256(concatHex([stringToHex(`forkyard ${name} `), keccak256(bytecode), terms]))
}

/** What quota costs and who is paid; the same terms have the same address on every chain. */
export type QuotaTerms = {
  readonly treasury: Address
  /** Raw USDC. */
  readonly amountPerQuote: bigint
}

/**
 * The contracts that a gateway wants on a chain, in the order in which they can be made.
 *
 * What takes no argument of the chain's goes through the public CREATE2 deployer and is shared by all
 * operators. The executor (wrapped native currency) and the quota manager (USDC) differ from chain to
 * chain, so they go through `SenderDeployer`, under salts that only the sender can use.
 */
export function planDeployment({
  chain,
  sender,
  quota,
}: {
  readonly chain: Pick<Chain, 'wrappedNative' | 'usdc'>
  readonly sender: Address
  /** Absent: no quota is sold on the chain. */
  readonly quota?: QuotaTerms | undefined
}): readonly PlannedContract[] {
  const ownDeployer = planShared('SenderDeployer', senderDeployer)
  const implementation = planShared('UserProxyV6', userProxyV6)
  const own = (salt: Hex) => ({ deployer: ownDeployer.address, sender, salt })
  const executor = planOwn(own(saltOf('SwapExecutor', swapExecutor)), {
    name: 'SwapExecutor',
    artifact: swapExecutor,
    args: [chain.wrappedNative],
  })
  return [
    planShared('ManagerLens', managerLens),
    planShared('PoolLens', poolLens),
    planShared('ProbeLens', probeLens),
    planShared('QuoteLens', quoteLens),
    implementation,
    {
      ...planShared('UserProxyFactoryV6', userProxyFactoryV6, [implementation.address]),
      setting: 'PROXY_FACTORY',
    },
    ownDeployer,
    { ...executor, setting: 'EXECUTOR' },
    ...(quota ? [planQuota({ chain, quota, executor: executor.address, own })] : []),
  ]
}

function planQuota({
  chain,
  quota: { treasury, amountPerQuote },
  executor,
  own,
}: {
  readonly chain: Pick<Chain, 'usdc'>
  readonly quota: QuotaTerms
  readonly executor: Address
  readonly own: (salt: Hex) => { deployer: Address; sender: Address; salt: Hex }
}): PlannedContract {
  const terms = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }],
    [treasury, amountPerQuote],
  )
  const planned = planOwn(own(saltOf('QuotaManager', quotaManager, terms)), {
    name: 'QuotaManager',
    artifact: quotaManager,
    args: [chain.usdc.address, amountPerQuote, treasury, executor],
  })
  return { ...planned, setting: 'QUOTA_MANAGER' }
}
