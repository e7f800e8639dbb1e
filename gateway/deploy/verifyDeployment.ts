import { type Address, keccak256 } from 'viem'
import { getCode } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import { isSameAddress } from '../chain/sameAddress.ts'
import { settingName } from '../chain/settingName.ts'
import { type Deployment, readDeployment } from './deploymentFile.ts'
import { inspectContract } from './inspectDeployment.ts'
import { type PlannedContract, planDeployment } from './planDeployment.ts'

export type Verdict = {
  readonly name: string
  readonly address: Address
  readonly verdict: 'ok' | string
}

/** The plan that a file's sender and terms give with this version of the contracts. */
function planOf(chain: ChainClient['chain'], { sender, treasury, amountPerQuote }: Deployment) {
  const quota =
    treasury && amountPerQuote ? { treasury, amountPerQuote: BigInt(amountPerQuote) } : undefined
  return planDeployment({ chain, sender, quota })
}

async function judge(
  { client, chain }: Pick<ChainClient, 'client' | 'chain'>,
  {
    contract,
    file,
    env,
  }: {
    readonly contract: PlannedContract
    readonly file: Deployment
    readonly env: NodeJS.ProcessEnv
  },
): Promise<Verdict> {
  const { name, setting } = contract
  const kept = file.contracts[name]
  const address = kept?.address ?? contract.address
  const told = (verdict: string): Verdict => ({ name, address, verdict })
  if (!kept) return told('not in the file: run forkyard deploy again')
  const variable = setting === undefined ? undefined : settingName(chain, setting)
  const configured = variable === undefined ? undefined : env[variable]
  if (configured && configured.toLowerCase() !== address.toLowerCase())
    return told(`${variable} names another contract`)
  const code = await getCode(client, { address })
  if (code === undefined || code === '0x') return told('no code on the chain')
  if (keccak256(code) !== kept.codeHash) return told('other code than was deployed')
  if (!isSameAddress(address, contract.address)) return told('of another version of forkyard')
  const { status } = await inspectContract(client, contract)
  return told(status === 'standing' ? 'ok' : 'other code than this version compiles to')
}

/**
 * Holds `deployments/<chain>.json` and the gateway's settings against the chain.
 * @throws Error where there is no file, or it is of another chain
 */
export async function verifyDeployment(
  chainClient: Pick<ChainClient, 'client' | 'chain'>,
  { dir, env }: { readonly dir: string; readonly env: NodeJS.ProcessEnv },
): Promise<readonly Verdict[]> {
  const { chain } = chainClient
  const file = readDeployment(dir, chain.name)
  if (!file) throw new Error(`${dir} holds no deployment of ${chain.name}`)
  if (file.chainId !== chain.chainId)
    throw new Error(`${dir}/${chain.name}.json is of chain ${file.chainId}, not ${chain.chainId}`)
  return Promise.all(
    planOf(chain, file).map((contract) => judge(chainClient, { contract, file, env })),
  )
}
