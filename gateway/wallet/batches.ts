import { type Address, type Hex, numberToHex } from 'viem'
import { waitForReceipt } from '../client/waitForReceipt.ts'
import { ProviderError } from './providerError.ts'
import { type CallRequest, type Node, sendCall } from './sendCall.ts'

/** What a page asks of the wallet beyond sending: none of it is known here. */
type Capabilities = Readonly<Record<string, { readonly optional?: boolean | undefined }>>

export type SendCalls = {
  readonly from?: Address | undefined
  readonly id?: string | undefined
  readonly chainId: Hex
  readonly atomicRequired?: boolean | undefined
  readonly capabilities?: Capabilities | undefined
  readonly calls: readonly (CallRequest & { readonly capabilities?: Capabilities | undefined })[]
}

type Receipt = { readonly status: Hex } & Readonly<Record<string, unknown>>
const version = '2.0.0'
const pollMs = 100

type SentBatch = {
  readonly chainId: Hex
  readonly hashes: readonly Hex[]
  /** One of its calls could not be sent, nor any after it. */
  readonly isCut: boolean
}

/** Calls in one question (EIP-5792), sent one after the other: none of them is atomic. */
export function createBatches() {
  const sent = new Map<string, SentBatch>()
  return {
    async send(node: Node, { id = crypto.randomUUID(), ...batch }: SendCalls) {
      if (batch.atomicRequired)
        throw new ProviderError('noAtomicBatch', 'this wallet sends calls one after the other')
      if (sent.has(id)) throw new ProviderError('usedBatchId', `a batch ${id} was sent before`)
      requireNone([batch.capabilities, ...batch.calls.map(({ capabilities }) => capabilities)])
      const hashes: Hex[] = []
      for (const call of batch.calls) {
        const [last] = hashes.slice(-1)
        // The gas of a swap is known once its approval stands.
        if (last) await waitForReceipt(node, { hash: last, pollingInterval: pollMs })
        const hash = await sendCall(node, call).catch((error: unknown) => {
          if (!last) throw error
          // What was sent stands, and the page hears of it by the batch's status.
          return undefined
        })
        if (hash === undefined) break
        hashes.push(hash)
      }
      const isCut = hashes.length < batch.calls.length
      sent.set(id, { chainId: batch.chainId, hashes, isCut })
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
      const whole = failed === 0 && !batch.isCut ? 200 : 600
      const done = failed > 0 && failed === receipts.length ? 500 : whole
      const { chainId } = batch
      return { version, id, chainId, atomic: false, status: isWhole ? done : 100, receipts }
    },
  }
}

/** Without what it insists on, a page does not want the batch. */
function requireNone(asked: readonly (Capabilities | undefined)[]): void {
  const [name] = asked
    .flatMap((capabilities) => Object.entries(capabilities ?? {}))
    .flatMap(([each, { optional }]) => (optional ? [] : [each]))
  if (name !== undefined)
    throw new ProviderError('unknownCapability', `this wallet does not know ${name}`)
}
