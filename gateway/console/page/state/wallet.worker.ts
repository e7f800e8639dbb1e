import { decodeFunctionData, type Hex, keccak256, numberToHex, serializeTransaction } from 'viem'
import { privateKeyToAddress, sign } from 'viem/accounts'
import { executorAbi } from '../../../client/checkAnswers.ts'
import { createClient as createServices } from '../../../client/client.ts'
import { type SwapOrder, swap } from '../../../client/swap.ts'

export type WalletWork =
  | {
      readonly kind: 'execute'
      readonly services: Readonly<Record<'routing' | 'meta' | 'relay', string>>
      readonly apiKey: string | undefined
      readonly rpcUrl: string
      /** Of a lab's account: public. */
      readonly privateKey: Hex
      readonly order: Omit<SwapOrder, 'signal'>
    }
  | { readonly kind: 'decode'; readonly calldata: Hex }

export type WalletAnswer =
  | {
      readonly kind: 'executed'
      readonly txHash: Hex
      readonly amountOut: bigint
      readonly promised: bigint
      readonly gasUsed: bigint
    }
  | { readonly kind: 'decoded'; readonly text: string }
  | { readonly kind: 'failed'; readonly sentence: string }

type Execute = Extract<WalletWork, { kind: 'execute' }>

type Call = { readonly to: Hex; readonly data: Hex; readonly value: bigint }
type Request = (call: { readonly method: string; readonly params?: unknown }) => Promise<unknown>

/** By hand, as what follows: a client of all methods is half as large again as the rest of this worker. */
const createRequest =
  (url: string): Request =>
  async (call) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    // As a node answers.
    const { result, error } = (await answer.json()) as {
      readonly result?: unknown
      readonly error?: { readonly message: string }
    }
    if (error) throw new Error(error.message)
    return result
  }

async function signAndSend(
  request: Request,
  { to, data, value, privateKey, order }: Call & Pick<Execute, 'privateKey' | 'order'>,
): Promise<Hex> {
  const from = privateKeyToAddress(privateKey)
  const ask = async (method: string, params: readonly unknown[]) =>
    BigInt((await request({ method, params })) as Hex)
  const [nonce, gasPrice, gas] = await Promise.all([
    ask('eth_getTransactionCount', [from, 'pending']),
    ask('eth_gasPrice', []),
    ask('eth_estimateGas', [{ from, to, data, value: numberToHex(value) }]),
  ])
  const unsigned = {
    type: 'eip1559',
    chainId: order.chainId,
    nonce: Number(nonce),
    // What the base fee may rise to until it is mined; a lab's blocks need no tip.
    maxFeePerGas: 2n * gasPrice,
    maxPriorityFeePerGas: 0n,
    gas,
    to,
    data,
    value,
  } as const
  const signature = await sign({ hash: keccak256(serializeTransaction(unsigned)), privateKey })
  const raw = serializeTransaction(unsigned, signature)
  return (await request({ method: 'eth_sendRawTransaction', params: [raw] })) as Hex
}

async function execute(task: Execute): Promise<WalletAnswer> {
  const address = privateKeyToAddress(task.privateKey)
  const request = createRequest(task.rpcUrl)
  const wallet = {
    address,
    request,
    sendTransaction: (call: Call) => signAndSend(request, { ...call, ...task }),
  }
  const { services, apiKey, order } = task
  const client = createServices({ services, apiKey, clientId: 'console' })
  const { txHash, amountOut, quote, receipt } = await swap({ client, wallet }, order)
  const { gasUsed } = receipt
  return { kind: 'executed', txHash, amountOut, promised: BigInt(quote.output), gasUsed }
}

function decode(calldata: Hex): WalletAnswer {
  const { functionName, args } = decodeFunctionData({ abi: executorAbi, data: calldata })
  const text = JSON.stringify(
    { [functionName]: args },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  )
  return { kind: 'decoded', text }
}

addEventListener('message', async ({ data }: MessageEvent<WalletWork>) => {
  try {
    postMessage(data.kind === 'execute' ? await execute(data) : decode(data.calldata))
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    postMessage({ kind: 'failed', sentence } satisfies WalletAnswer)
  }
})
