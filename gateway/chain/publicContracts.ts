import {
  type Abi,
  type Address,
  encodeDeployData,
  getCreate2Address,
  type Hex,
  zeroHash,
} from 'viem'
import {
  quotaManager,
  swapExecutor,
  userProxyFactoryV6,
  userProxyV6,
} from '../../contracts/artifacts.ts'
import { chains } from './chains.ts'
import { create2Deployer } from './create2Deployer.ts'

/** What others call of Forkyard's contracts, and where they stand: `forkyard/contracts`. */
export const swapExecutorAbi = swapExecutor.abi
export const quotaManagerAbi = quotaManager.abi
export const userProxyFactoryV6Abi = userProxyFactoryV6.abi
export const userProxyV6Abi = userProxyV6.abi

export { create2Deployer }

export type ContractAddresses = {
  readonly executor: Address
  readonly proxyFactory: Address
  readonly proxyImplementation: Address
}

/** Address and creation code of a contract that the CREATE2 deployer deploys, with salt 0. */
export function placeContract(
  { abi, bytecode }: { readonly abi: Abi; readonly bytecode: Hex },
  args: readonly unknown[],
): { readonly address: Address; readonly creation: Hex } {
  const creation = args.length > 0 ? encodeDeployData({ abi, bytecode, args }) : bytecode
  const address = getCreate2Address({ from: create2Deployer, salt: zeroHash, bytecode: creation })
  return { address, creation }
}

/**
 * By chain, as in a lab. The factory and its proxies stand there in every deployment of this version; where
 * `forkyard deploy` has put an executor and a quota manager depends on who sent it, and stands in that
 * operator's `deployments/<chain>.json`.
 */
export const contractAddresses: Readonly<Record<number, ContractAddresses>> = Object.fromEntries(
  chains.map(({ chainId, wrappedNative }): [number, ContractAddresses] => {
    const { address: proxyImplementation } = placeContract(userProxyV6, [])
    return [
      chainId,
      {
        executor: placeContract(swapExecutor, [wrappedNative]).address,
        proxyFactory: placeContract(userProxyFactoryV6, [proxyImplementation]).address,
        proxyImplementation,
      },
    ]
  }),
)
