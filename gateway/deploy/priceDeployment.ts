import type { Address } from 'viem'
import { estimateGas, getGasPrice } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import { readL1Fee } from '../chain/readL1Fee.ts'
import type { PlannedContract } from './planDeployment.ts'

export type PricedContract = { readonly contract: PlannedContract; readonly gas: bigint }
export type DeploymentPrice = {
  readonly contracts: readonly PricedContract[]
  readonly gas: bigint
  readonly gasPriceWei: bigint
  /** What an OP stack chain charges for the data beside gas. */
  readonly l1FeeWei: bigint
  /** Gas at today's price and the data fee. */
  readonly costWei: bigint
}

/** Gas of every missing contract; those before it count as there already. Nothing is sent. */
export async function priceDeployment(
  { client, chain }: Pick<ChainClient, 'client' | 'chain'>,
  { missing, sender }: { readonly missing: readonly PlannedContract[]; readonly sender: Address },
): Promise<DeploymentPrice> {
  const stateOverride = missing.map(({ address, deployedBytecode }) => ({
    address,
    code: deployedBytecode,
  }))
  const [gasPriceWei, contracts, l1Fees] = await Promise.all([
    getGasPrice(client),
    Promise.all(
      missing.map(async (contract) => {
        const { to, data, address } = contract
        const others = stateOverride.filter((override) => override.address !== address)
        const call = { account: sender, to, data }
        const gas = await estimateGas(client, { ...call, stateOverride: others })
        return { contract, gas }
      }),
    ),
    chain.l1Fee === 'opStack'
      ? Promise.all(missing.map(({ to, data }) => readL1Fee(client, { to, data })))
      : [],
  ])
  const gas = contracts.reduce((sum, priced) => sum + priced.gas, 0n)
  const l1FeeWei = l1Fees.reduce((sum, fee) => sum + fee, 0n)
  return { contracts, gas, gasPriceWei, l1FeeWei, costWei: gas * gasPriceWei + l1FeeWei }
}
