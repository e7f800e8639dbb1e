import { type Address, type Hex, hexToNumber, isHex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { pause } from '../client/pause.ts'
import { createBatches, type SendCalls } from './batches.ts'
import { ProviderError } from './providerError.ts'
import { type CallRequest, connectTo, sendCall } from './sendCall.ts'

export type TestWalletOptions = {
  /** By chain id; a lab's manifest has them. */
  readonly chains: Readonly<Record<string, { readonly rpcUrl: string }>>
  /** Of an account whose key may be known to everybody. */
  readonly privateKey: Hex
  /** The chain that it is on at first; else the first of `chains`. */
  readonly chainId?: number | undefined
}

/** What a person, or the world, does while a page asks. */
export type Switches = {
  readonly answer: 'approve' | 'reject'
  /** How long a person takes. */
  readonly delayMs: number
  readonly isConnected: boolean
  /** Whether it knows EIP-5792. */
  readonly hasBatches: boolean
  /** The next transaction has the account take on the code of this contract (EIP-7702), once. */
  readonly delegateTo: Address | undefined
}

type Request = { readonly method: string; readonly params?: unknown }
type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>
type Transaction = CallRequest & {
  readonly from?: Address | undefined
  readonly chainId?: Hex | undefined
}
type Listener = (value: unknown) => void
type EventName = 'accountsChanged' | 'chainChanged' | 'connect' | 'disconnect'

/** EIP-1193. */
export type Provider = {
  request(request: Request): Promise<unknown>
  on(event: EventName, listener: Listener): void
  removeListener(event: EventName, listener: Listener): void
}

export type TestWallet = ReturnType<typeof createTestWallet>

/** What is only read is the node's, and what was signed already: a lab's node signs itself, and does as it is told. */
const isRead = (method: string) =>
  /^(?:eth|net|web3)_(?!sign|send)/.test(method) || method === 'eth_sendRawTransaction'

/** A wallet without a person: switches say what that person would do. */
export function createTestWallet({ chains, privateKey, chainId }: TestWalletOptions) {
  const account = privateKeyToAccount(privateKey)
  const { address } = account
  const listeners = createListeners()
  const batches = createBatches()
  const asked: Request[] = []
  let onChain = chainId ?? Number(Object.keys(chains)[0])
  let switches: Switches = {
    answer: 'approve',
    delayMs: 0,
    isConnected: true,
    hasBatches: true,
    delegateTo: undefined,
  }
  const nodeOf = (id: number) => {
    const found = chains[String(id)]
    if (!found) throw new ProviderError('unknownChain', `this wallet does not know chain ${id}`)
    return connectTo(account, { chainId: id, rpcUrl: found.rpcUrl })
  }
  const permits = createPermits(address, (held) => listeners.emit('accountsChanged', held))
  const moveTo = (id: number) => {
    nodeOf(id)
    if (id === onChain) return null
    onChain = id
    listeners.emit('chainChanged', numberToHex(id))
    return null
  }
  const requireBatches = () => {
    if (!switches.hasBatches) throw new ProviderError('unsupported', 'this wallet has no batches')
  }
  const send = (call: Transaction) => {
    permits.require(call.from)
    if (call.chainId !== undefined && hexToNumber(call.chainId) !== onChain)
      throw new ProviderError('invalid', `the wallet is on chain ${onChain}`)
    const { delegateTo } = switches
    switches = { ...switches, delegateTo: undefined }
    return sendCall(nodeOf(onChain), call, { delegateTo })
  }

  /** A person is asked about these; params are what the EIP of each says. */
  const askedOf: Methods = {
    eth_requestAccounts: permits.give,
    wallet_requestPermissions: () => {
      permits.give()
      return permits.list()
    },
    wallet_switchEthereumChain: ([to]) => moveTo(hexToNumber((to as { chainId: Hex }).chainId)),
    eth_sendTransaction: ([call]) => send(call as Transaction),
    personal_sign: ([raw, signer]) => {
      permits.require(signer)
      // As wallets read it: what is no hex is a text.
      return account.signMessage({ message: isHex(raw) ? { raw } : String(raw) })
    },
    eth_signTypedData_v4: ([signer, data]) => {
      permits.require(signer)
      const typed = JSON.parse(data as string)
      const { chainId: signedFor = onChain } = typed.domain ?? {}
      // It would be worth something there, where the account may be somebody's.
      if (BigInt(signedFor) !== BigInt(onChain))
        throw new ProviderError('invalid', `the wallet is on chain ${onChain}`)
      return account.signTypedData(typed)
    },
    wallet_sendCalls: ([given]) => {
      const batch = given as SendCalls
      requireBatches()
      permits.require(batch.from ?? address)
      return batches.send(nodeOf(hexToNumber(batch.chainId)), batch)
    },
  }
  const answered: Methods = {
    eth_accounts: permits.accounts,
    eth_chainId: () => numberToHex(onChain),
    net_version: () => String(onChain),
    wallet_getPermissions: permits.list,
    wallet_revokePermissions: permits.revoke,
    wallet_getCapabilities: () => {
      requireBatches()
      const atomic = { status: 'unsupported' }
      return Object.fromEntries(
        Object.keys(chains).map((id) => [numberToHex(Number(id)), { atomic }]),
      )
    },
    wallet_getCallsStatus: ([id]) => {
      requireBatches()
      return batches.status(id as string, (chain) => nodeOf(hexToNumber(chain)))
    },
  }

  async function request({ method, params = [] }: Request): Promise<unknown> {
    if (!switches.isConnected)
      throw new ProviderError('disconnected', 'the wallet is not connected to any chain')
    const ask = findMethod(askedOf, method)
    if (ask) {
      asked.push({ method, params })
      const { answer, delayMs } = switches
      if (delayMs > 0) await pause(delayMs)
      if (answer === 'reject') throw new ProviderError('rejected', 'User rejected the request.')
      return readStrictly(method, () => ask(params as readonly unknown[]))
    }
    const own = findMethod(answered, method)
    if (own) return own(params as readonly unknown[])
    if (!isRead(method))
      throw new ProviderError('unsupported', `this wallet does not know ${method}`)
    return nodeOf(onChain).request({ method, params } as never)
  }
  const provider: Provider = { request, on: listeners.add, removeListener: listeners.remove }

  return {
    address,
    provider,
    /** What a person was asked, in its order. */
    asked: asked as readonly Request[],
    set(changed: Partial<Switches>) {
      const was = switches.isConnected
      switches = { ...switches, ...changed }
      if (switches.isConnected === was) return
      if (switches.isConnected) listeners.emit('connect', { chainId: numberToHex(onChain) })
      else listeners.emit('disconnect', new ProviderError('disconnected', 'the wallet is gone'))
    },
    /** As a person changes networks in the wallet: the page is told, not asked. */
    switchTo: (id: number) => void moveTo(id),
  }
}

/** What a page sends is anything: what the method cannot read is answered by a code, as by any wallet. */
async function readStrictly(method: string, answer: () => unknown): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    throw new ProviderError('invalid', `${method} cannot read its parameters: ${error.message}`)
  }
}

/** Names come from pages: `constructor` is none of ours. */
const findMethod = (methods: Methods, name: string) =>
  Object.hasOwn(methods, name) ? methods[name] : undefined

/** Whether the page may know and use the account. */
function createPermits(address: Address, tell: (accounts: readonly Address[]) => void) {
  let isGiven = false
  const accounts = () => (isGiven ? [address] : [])
  const change = (next: boolean) => {
    if (next === isGiven) return
    isGiven = next
    tell(accounts())
  }
  return {
    accounts,
    list: () => (isGiven ? [{ parentCapability: 'eth_accounts' }] : []),
    give() {
      change(true)
      return accounts()
    },
    revoke() {
      change(false)
      return null
    },
    require(given: unknown) {
      if (isGiven && typeof given === 'string' && given.toLowerCase() === address.toLowerCase())
        return
      throw new ProviderError('unauthorized', `the page may not use ${String(given)}`)
    },
  }
}

function createListeners() {
  const byEvent = new Map<EventName, Set<Listener>>()
  return {
    add(event: EventName, listener: Listener) {
      byEvent.set(event, (byEvent.get(event) ?? new Set()).add(listener))
    },
    remove(event: EventName, listener: Listener) {
      byEvent.get(event)?.delete(listener)
    },
    emit(event: EventName, value: unknown) {
      for (const listener of byEvent.get(event) ?? []) listener(value)
    },
  }
}
