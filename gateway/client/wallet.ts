import {
  type Address,
  createClient,
  custom,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getTypesForEIP712Domain,
  type Hex,
  isAddressEqual,
  maxUint256,
  numberToHex,
  parseEventLogs,
  serializeTypedData,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { getChainId } from 'viem/actions'
import { waitForReceipt } from './waitForReceipt.ts'

export type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint }
/** Where it is to be sent, too: the wallet may be on another chain by the time that its person agrees. */
export type WalletCall = Call & { readonly chainId: number }

/**
 * A wallet on the chain to trade on. `address` and the `request` of an EIP-1193 provider are enough: pages
 * have both. Where a key signs by itself, `sendTransaction` and `signTypedData` are its own and `request` is a
 * node's.
 */
export type Wallet = {
  readonly address: Address
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  sendTransaction?(call: WalletCall): Promise<Hex>
  signTypedData?(data: TypedData): Promise<Hex>
}

export type TypedData = {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

export const swapErrorCodes = [
  'wrong_chain',
  'not_executable',
  'reverted',
  'replaced',
  'proxy_unconfirmed',
  'unclaimed',
] as const

/**
 * Thrown where a swap cannot go on; `code` is for programs. `unclaimed`: quota is paid for, by `txHash`, which is
 * to be claimed and not paid again.
 */
export class SwapError extends Error {
  override readonly name = 'SwapError'
  readonly code: (typeof swapErrorCodes)[number]
  readonly txHash: Hex | undefined

  constructor(code: SwapError['code'], sentence: string, txHash?: Hex, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
    this.txHash = txHash
  }
}

const pollMs = 250

/** Reads of the wallet's chain, over the wallet's own node. */
export type Reader = ReturnType<typeof createReader>
export const createReader = (wallet: Wallet) =>
  createClient({
    transport: custom({ request: (call) => wallet.request(call) }),
    pollingInterval: pollMs,
    ccipRead: false,
  })

/** A wallet for as long as it is on one chain. */
export type OnChain = { readonly wallet: Wallet; readonly reader: Reader; readonly chainId: number }

export async function requireOnChain(wallet: Wallet, chainId: number): Promise<OnChain> {
  const onChain = { wallet, reader: createReader(wallet), chainId }
  await requireChain(onChain)
  return onChain
}

async function requireChain({ reader, chainId }: OnChain): Promise<void> {
  const actual = await getChainId(reader)
  if (actual !== chainId)
    throw new SwapError('wrong_chain', `the wallet is on chain ${actual}, not on ${chainId}`)
}

/**
 * Sends, and waits until it is in a block, at whatever price. Another in its place is not what was sent. A person
 * may change the wallet's network between two prompts, or while one is open: the first is seen here, and for the
 * second the transaction says where it belongs.
 */
export async function transact(onChain: OnChain, asked: Call): Promise<TransactionReceipt> {
  const { wallet, reader, chainId } = onChain
  await requireChain(onChain)
  const call = { ...asked, chainId }
  const hash = await (wallet.sendTransaction?.(call) ?? sendByProvider(wallet, call))
  let isAnother = false
  const receipt = await waitForReceipt(reader, {
    hash,
    onReplaced({ reason }) {
      isAnother = reason !== 'repriced'
    },
  })
  const { transactionHash } = receipt
  if (isAnother)
    throw new SwapError('replaced', `the wallet sent ${transactionHash} instead`, transactionHash)
  if (receipt.status === 'success') return receipt
  throw new SwapError('reverted', `transaction ${hash} reverted`, hash)
}

async function sendByProvider(
  wallet: Wallet,
  { to, data, value, chainId }: WalletCall,
): Promise<Hex> {
  const from = wallet.address
  const sent = { from, to, data, value: numberToHex(value), chainId: numberToHex(chainId) }
  // The provider's answer, as EIP-1193 has it.
  return (await wallet.request({ method: 'eth_sendTransaction', params: [sent] })) as Hex
}

/** Undefined for a wallet whose node signs nothing and that has no signer of its own. */
export function signerOf(wallet: Wallet): ((data: TypedData) => Promise<Hex>) | undefined {
  const { address, signTypedData, sendTransaction } = wallet
  if (signTypedData) return (data) => signTypedData.call(wallet, data)
  if (sendTransaction) return undefined
  return async ({ types, ...data }) => {
    const all = { EIP712Domain: getTypesForEIP712Domain({ domain: data.domain }), ...types }
    const text = serializeTypedData<TypedData['types'], string>({ ...data, types: all })
    // The provider's answer, as EIP-712 has it.
    return (await wallet.request({
      method: 'eth_signTypedData_v4',
      params: [address, text],
    })) as Hex
  }
}

export type Approval = {
  readonly token: Address
  readonly spender: Address
  readonly amount: bigint
}

/** Without limit for the native currency, which nobody has to approve. */
export async function readAllowance(
  { wallet, reader }: { readonly wallet: Wallet; readonly reader: Reader },
  { token, spender }: Omit<Approval, 'amount'>,
): Promise<bigint> {
  if (isAddressEqual(token, zeroAddress)) return maxUint256
  // By hand, as balances below: a page would load the code of all that a call can be.
  const asked = { abi: erc20Abi, functionName: 'allowance' } as const
  const question = encodeFunctionData({ ...asked, args: [wallet.address, spender] })
  const answer = await reader.request({
    method: 'eth_call',
    params: [{ to: token, data: question }, 'latest'],
  })
  return decodeFunctionResult({ ...asked, data: answer })
}

/** Allows the spender this amount and no more. Resolves to whether a transaction was needed. */
export async function approveExact(
  onChain: OnChain,
  { token, spender, amount }: Approval,
): Promise<boolean> {
  const allowed = await readAllowance(onChain, { token, spender })
  if (allowed >= amount) return false
  // Tokens like USDT change an allowance only from zero.
  for (const value of allowed > 0n ? [0n, amount] : [amount]) {
    const args = [spender, value] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    await transact(onChain, { to: token, data, value: 0n })
  }
  return true
}

/**
 * What the wallet got of a token by a transaction: its transfers to the wallet less those from it; of the
 * native currency, the balance's growth over the block with the gas and value put back, which another
 * transaction of the wallet in the same block would blur.
 */
export async function readDelivered(
  { wallet, reader }: { readonly wallet: Wallet; readonly reader: Reader },
  {
    token,
    receipt,
    value,
  }: { readonly token: Address; readonly receipt: TransactionReceipt; readonly value: bigint },
): Promise<bigint> {
  const { address } = wallet
  if (isAddressEqual(token, zeroAddress)) {
    const { blockNumber, gasUsed, effectiveGasPrice } = receipt
    const [before, after] = await Promise.all(
      [blockNumber - 1n, blockNumber].map(async (at) =>
        BigInt(
          await reader.request({ method: 'eth_getBalance', params: [address, numberToHex(at)] }),
        ),
      ),
    )
    const { l1Fee } = receipt as { readonly l1Fee?: bigint | Hex | null }
    return (after ?? 0n) - (before ?? 0n) + gasUsed * effectiveGasPrice + BigInt(l1Fee ?? 0) + value
  }
  const logs = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs })
  return logs
    .filter((log) => isAddressEqual(log.address, token))
    .reduce((sum, { args: { from, to, value: moved } }) => {
      const got = isAddressEqual(to, address) ? moved : 0n
      const gave = isAddressEqual(from, address) ? moved : 0n
      return sum + got - gave
    }, 0n)
}
