import { type Address, type Hex, numberToHex } from 'viem'
import { waitForTransactionReceipt } from 'viem/actions'
import { ProviderError } from './providerError.ts'
import { type CallRequest, type Node, sendCall } from './sendCall.ts'

export type SendCalls = {
  readonly from?: Address | undefined
  readonly id?: string | undefined
  readonly chainId: Hex
  readonly atomicRequired?: boolean | undefined
  readonly calls: readonly CallRequest[]
}

type Receipt = { readonly status: Hex } & Readonly<Record<string, unknown>>
const version = '2.0.0'
const pollMs = 100

/** Calls in one question (EIP-5792), sent one after the other: none of them is atomic. */
export function createBatches() {
  const sent = new Map<string, { readonly chainId: Hex; readonly hashes: readonly Hex[] }>()
  return {
    async send(node: Node, { id = crypto.randomUUID(), ...batch }: SendCalls) {
      if (batch.atomicRequired)
        throw new ProviderError('noAtomicBatch', 'this wallet sends calls one after the other')
      const hashes: Hex[] = []
      for (const call of batch.calls) {
        const [last] = hashes.slice(-1)
        // The gas of a swap is known once its approval stands.
        if (last) await waitForTransactionReceipt(node, { hash: last, pollingInterval: pollMs })
        hashes.push(await sendCall(node, call))
      }
      sent.set(id, { chainId: batch.chainId, hashes })
      return { id }
    },
    async status(id: string, nodeOf: (chainId: Hex) => Node) {
      const batch = sent.get(id)
      if (!batch) throw new ProviderError('unknownBatch', `no batch ${id} was sent`)
      const node = nodeOf(batch.chainId)
      const found: readonly (Receipt | null)[] = await Promise.all(
        batch.hashes.map((hash) =>
          node.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
        ),
      )
      const receipts = found.filter((one) => one !== null)
      const isWhole = receipts.length === batch.hashes.length
      const failed = receipts.filter(({ status }) => status !== numberToHex(1)).length
      const done = failed === 0 ? 200 : failed === receipts.length ? 500 : 600
      const { chainId } = batch
      return { version, id, chainId, atomic: false, status: isWhole ? done : 100, receipts }
    },
  }
}
