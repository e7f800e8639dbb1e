import { type Address, type Hex, toHex } from 'viem'

export type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>

const etherForGas = 10n ** 20n
const gas = 10_000_000
const minedWithinMs = 20_000

/** Sends a transaction of an account whose key nobody needs, and waits until it is mined. Throws when it reverts. */
export async function sendAs(
  { request }: { readonly request: Request },
  {
    from,
    to,
    data = '0x',
    value = 0n,
  }: {
    readonly from: Address
    readonly to: Address
    readonly data?: Hex | undefined
    readonly value?: bigint | undefined
  },
): Promise<Hex> {
  await request('anvil_impersonateAccount', [from])
  try {
    const balance = BigInt(String(await request('eth_getBalance', [from, 'latest'])))
    if (balance < value + etherForGas)
      await request('anvil_setBalance', [from, toHex(value + etherForGas)])
    const sent = { from, to, data, value: toHex(value), gas: toHex(gas) }
    const hash = (await request('eth_sendTransaction', [sent])) as Hex
    await waitForSuccess(request, hash)
    return hash
  } finally {
    await request('anvil_stopImpersonatingAccount', [from])
  }
}

async function waitForSuccess(request: Request, hash: Hex) {
  const startedAt = performance.now()
  for (;;) {
    const receipt = await request('eth_getTransactionReceipt', [hash])
    if (receipt) {
      if ((receipt as { status: Hex }).status === '0x1') return
      throw new Error(`transaction ${hash} reverted`)
    }
    if (performance.now() - startedAt > minedWithinMs) throw new Error(`${hash} is not mined`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
