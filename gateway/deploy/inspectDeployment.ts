import { type Hex, hexToBytes, keccak256, RpcRequestError } from 'viem'
import { call, getCode } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import type { PlannedContract } from './planDeployment.ts'

type Client = ChainClient['client']

/** `other`: code that this version's source does not compile to. */
export type Standing =
  | { readonly status: 'standing'; readonly codeHash: Hex }
  | { readonly status: 'missing' }
  | { readonly status: 'other'; readonly codeHash: Hex }

/** What a contract's constructor leaves as its code, told by the node; undefined where it reverts. */
async function runCreation(client: Client, creation: Hex): Promise<Hex | undefined> {
  try {
    const { data } = await call(client, { data: creation })
    return data
  } catch (error) {
    if (error instanceof Error && isRevert(error)) return undefined
    throw error
  }
}

/** A node's own word about the call, rather than no word of a node. */
function isRevert(error: Error): boolean {
  if (error instanceof RpcRequestError) return true
  return error.cause instanceof Error && isRevert(error.cause)
}

/** Whether code is a compiler's output with its immutables, which are zero there, filled in. */
function fills(code: Hex, template: Hex): boolean {
  const [bytes, blank] = [hexToBytes(code), hexToBytes(template)]
  return (
    bytes.length === blank.length && blank.every((byte, at) => byte === 0 || byte === bytes[at])
  )
}

/**
 * Whether the planned code stands at its address. Where the address does not commit to the arguments, the
 * code is compared to what its creation returns on this very chain; elsewhere that would not do, since an
 * immutable may be the contract's own address.
 */
export async function inspectContract(
  client: Client,
  { address, creation, deployedBytecode, addressTellsCode }: PlannedContract,
): Promise<Standing> {
  const code = await getCode(client, { address })
  if (code === undefined || code === '0x') return { status: 'missing' }
  const isPlanned = addressTellsCode
    ? fills(code, deployedBytecode)
    : code === (await runCreation(client, creation))
  return { status: isPlanned ? 'standing' : 'other', codeHash: keccak256(code) }
}

/** Each planned contract with what stands at its address, in order. */
export async function inspectDeployment(
  client: Client,
  plan: readonly PlannedContract[],
): Promise<readonly { readonly contract: PlannedContract; readonly standing: Standing }[]> {
  return Promise.all(
    plan.map(async (contract) => ({
      contract,
      standing: await inspectContract(client, contract),
    })),
  )
}
