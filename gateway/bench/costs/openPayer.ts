import { type Address, createWalletClient, http, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { registerWallet } from '../../client/buyQuota.ts'
import { createClient } from '../../client/client.ts'
import { createLab } from '../../client/lab.ts'
import type { LabManifest } from '../../lab/manifest.ts'

/** A new wallet with money and an API key of its own. */
export async function openPayer({
  manifest,
  rpcUrl,
  usdc,
}: {
  readonly manifest: LabManifest
  readonly rpcUrl: string
  readonly usdc: Address
}) {
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  const control = createLab(manifest)
  for (const [token, amount] of [
    [zeroAddress, parseEther('5')],
    [usdc, 10n ** 9n],
  ] as const)
    await control.deal({ chainId: base.id, token, to: address, amount: String(amount) })
  const signMessage = (message: string) => account.signMessage({ message })
  const { api_key: apiKey } = await registerWallet(createClient(manifest), { address, signMessage })
  const node = createWalletClient({ account, chain: base, transport: http(rpcUrl) })
  return {
    client: createClient({ ...manifest, apiKey }),
    wallet: {
      address,
      request: node.request,
      sendTransaction: (call: Parameters<typeof node.sendTransaction>[0]) =>
        node.sendTransaction(call),
    },
  }
}
