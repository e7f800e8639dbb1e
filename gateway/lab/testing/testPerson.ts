import { type Address, createClient, erc20Abi, type Hex, http } from 'viem'
import { readContract } from 'viem/actions'
import { send, waitForReceipt } from '../../../fixtures/chains/send.ts'

/** Enough for any route: a pair writes its prices once in a second, which an estimate just before may not see. */
const gas = 5_000_000n

/** A wallet on a lab chain that throws when a transaction of its own reverts. */
export function createPerson({
  rpcUrl,
  address,
  privateKey,
}: {
  readonly rpcUrl: string
  readonly address: Address
  readonly privateKey: Hex
}) {
  const client = createClient({ transport: http(rpcUrl) })
  return {
    address,
    /** Sends, and resolves with the hash once it is mined. */
    async send(transaction: Parameters<typeof send>[1]): Promise<Hex> {
      const receipt = await send({ rpcUrl, privateKey }, { gas, ...transaction })
      if (receipt.status !== 'success') throw new Error(`${receipt.transactionHash} reverted`)
      return receipt.transactionHash
    },
    /** Resolves once somebody else's transaction is mined. */
    async waitFor(hash: Hex) {
      const receipt = await waitForReceipt({ rpcUrl, hash })
      if (receipt.status !== 'success') throw new Error(`${hash} reverted`)
    },
    balanceOf: (token: Address) =>
      readContract(client, {
        address: token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address],
      }),
  }
}
