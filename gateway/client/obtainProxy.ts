import type { Address, Hex } from 'viem'
import { pause } from './pause.ts'

/** What the caller's wallet and node do for it; the client itself holds no key. */
export type ProxyWallet = {
  /** `factory.proxyOf(owner)`; undefined while there is no proxy. */
  readonly readProxy: () => Promise<Address | undefined>
  /** Signs and sends `factory.deploy(owner)` from the owner's wallet. */
  readonly deploy: () => Promise<Hex>
  /**
   * Signs EIP-712 data for the owner (`signTypedData` of any wallet; a contract's wallet gives its EIP-1271
   * or EIP-6492 signature). Asked only where the relay looks at signatures; without it the request goes
   * unsigned.
   */
  readonly signTypedData?: ((order: SponsorOrder) => Promise<Hex>) | undefined
}

/** That the relay may deploy the owner's proxy until `deadline` (Unix seconds). It moves nothing. */
export type SponsorOrder = {
  readonly domain: {
    readonly name: 'Forkyard Relay'
    readonly version: '1'
    readonly chainId: number
    readonly verifyingContract: Address
  }
  readonly types: {
    readonly SponsoredDeploy: readonly [
      { readonly name: 'owner'; readonly type: 'address' },
      { readonly name: 'deadline'; readonly type: 'uint256' },
    ]
  }
  readonly primaryType: 'SponsoredDeploy'
  readonly message: { readonly owner: Address; readonly deadline: bigint }
}

export type ProxyRequest = {
  readonly chainId: number
  readonly owner: Address
  readonly tokenIn: Address
  readonly amountIn: bigint
}

export type ObtainedProxy =
  /** The proxy stands: go on to the token approval. */
  | {
      readonly status: 'ready'
      readonly proxy: Address
      readonly by: 'relay' | 'wallet' | 'existing'
      readonly txHash?: Hex | undefined
      /** Why the relay did not do it. */
      readonly refusal?: string | undefined
    }
  /** Return to the deploy prompt and show the reason; never to the approval. */
  | { readonly status: 'unconfirmed'; readonly txHash: Hex; readonly refusal: string }

type RelayReply =
  | { readonly status: 'existing' }
  | { readonly status: 'sent'; readonly txHash: Hex }
  | { readonly status: 'refused'; readonly refusal: string }

const pollMs = 250
/** Of the hour that a relay takes at most: its clock is not ours. */
const signedForSecs = 900
const unreadable = 'the relay could not be reached'

const isHash = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)

const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)

/**
 * Gets an owner their proxy: sponsored where the relay can, from the wallet where it cannot. A chain that
 * the relay says it cannot serve, any error status and any network failure lead to the wallet; a sponsored
 * deployment that does not confirm in time leads back to the prompt.
 */
export async function obtainProxy(
  { relayUrl, wallet }: { readonly relayUrl: string; readonly wallet: ProxyWallet },
  {
    confirmWithinMs = 60_000,
    timeoutMs = 10_000,
    ...request
  }: ProxyRequest & {
    readonly confirmWithinMs?: number | undefined
    readonly timeoutMs?: number | undefined
  },
): Promise<ObtainedProxy> {
  const reply = await askRelay({ relayUrl, wallet, timeoutMs }, request)
  if (reply.status !== 'sent') {
    // An approval follows: the address comes from the factory, not from the relay. And a relay that cannot
    // be asked says nothing of whether there is one: the wallet pays for no second deployment.
    const proxy = await wallet.readProxy()
    if (proxy) return { status: 'ready', proxy, by: 'existing' }
  }
  const refusal = refusalOf(reply)
  const txHash = reply.status === 'sent' ? reply.txHash : await wallet.deploy()
  const proxy = await waitForProxy(wallet, confirmWithinMs)
  if (!proxy)
    return {
      status: 'unconfirmed',
      txHash,
      refusal: refusal ?? 'the sponsored deployment was not confirmed in time',
    }
  return { status: 'ready', proxy, by: refusal === undefined ? 'relay' : 'wallet', txHash, refusal }
}

function refusalOf(reply: RelayReply): string | undefined {
  if (reply.status === 'sent') return undefined
  return reply.status === 'refused' ? reply.refusal : 'the factory does not know this proxy'
}

async function askRelay(
  {
    relayUrl,
    wallet,
    timeoutMs,
  }: { readonly relayUrl: string; readonly wallet: ProxyWallet; readonly timeoutMs: number },
  { amountIn, ...request }: ProxyRequest,
): Promise<RelayReply> {
  try {
    const intent = await call(`${relayUrl}/api/intents?chainId=${request.chainId}`, timeoutMs)
    if (intent.body['servable'] !== true)
      return { status: 'refused', refusal: text(intent.body['reason'] ?? intent.body['error']) }
    const signed = await sign(wallet, { ...request, intent: intent.body })
    const body = JSON.stringify({ ...request, ...signed, amountIn: String(amountIn) })
    const headers = { 'content-type': 'application/json' }
    const answer = await call(`${relayUrl}/api/proxy`, timeoutMs, { method: 'POST', headers, body })
    const { txHash, existing, error } = answer.body
    if (answer.status !== 200) return { status: 'refused', refusal: text(error) }
    if (existing === true) return { status: 'existing' }
    // Without a hash there is nothing to wait for.
    if (!isHash(txHash)) return { status: 'refused', refusal: unreadable }
    return { status: 'sent', txHash }
  } catch {
    return { status: 'refused', refusal: unreadable }
  }
}

/**
 * The order is written here, not taken from the relay: whatever a relay says, the owner signs that a proxy
 * may be deployed and nothing else.
 */
async function sign(
  { signTypedData }: ProxyWallet,
  {
    chainId,
    owner,
    intent,
  }: Pick<ProxyRequest, 'chainId' | 'owner'> & { readonly intent: Record<string, unknown> },
): Promise<{ readonly ownerSignature: Hex; readonly deadline: number } | undefined> {
  const { ownerSignature: asked, factory } = intent
  if (!signTypedData || asked === undefined || !isAddress(factory)) return undefined
  const deadline = Math.floor(Date.now() / 1_000) + signedForSecs
  const ownerSignature = await signTypedData({
    domain: { name: 'Forkyard Relay', version: '1', chainId, verifyingContract: factory },
    types: {
      SponsoredDeploy: [
        { name: 'owner', type: 'address' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'SponsoredDeploy',
    message: { owner, deadline: BigInt(deadline) },
  })
  return { ownerSignature, deadline }
}

const text = (value: unknown) =>
  typeof value === 'string' ? value : 'the relay cannot serve this chain'

async function call(url: string, timeoutMs: number, init: RequestInit = {}) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function waitForProxy(
  { readProxy }: ProxyWallet,
  withinMs: number,
): Promise<Address | undefined> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const proxy = await readProxy()
    if (proxy || performance.now() >= deadline) return proxy
    await pause(Math.min(pollMs, withinMs))
  }
}
