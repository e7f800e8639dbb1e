import type { WalletInfo } from '../../wallet/announceWallet.ts'

type Told = { readonly code: number; readonly message: string; readonly data?: unknown }
/** What a page is told of each question: events since its last one, then its answer. */
export type PageAnswer = {
  readonly events: { name: string; value?: unknown }[]
  readonly result?: unknown
  readonly error?: Told
}

/** Runs in the page, alone: it can name nothing outside itself. */
export function announceInPage(named: Omit<WalletInfo, 'uuid'>): void {
  type Listener = (value: unknown) => void
  const page = globalThis as unknown as EventTarget & {
    readonly document: { readonly currentScript: { readonly src: string } | null }
  }
  const { currentScript } = page.document
  if (!currentScript) throw new Error('wallet.js is no module: load it by <script crossorigin src>')
  const own = new URL(currentScript.src)
  const url = new URL('wallet', own).href
  const [account, chainId] = ['account', 'chainId'].map((name) => own.searchParams.get(name))
  const chosen = {
    ...(account && { account: Number(account) }),
    ...(chainId && { chainId: Number(chainId) }),
  }
  // By hand, since pages without TLS lack randomUUID.
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const uuid = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-a$4-')
  const listeners = new Map<string, Set<Listener>>()
  const toError = ({ message, ...told }: Told) =>
    Object.assign(new Error(message), { name: 'ProviderRpcError', ...told })

  async function ask(question: object): Promise<unknown> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session: uuid, ...chosen, ...question }),
    })
    const answer = (await response.json()) as PageAnswer
    // A refusal of the lab, not of the wallet: its error is a sentence.
    if (!response.ok) throw new Error(String(answer.error))
    for (const { name, value } of answer.events)
      for (const listener of listeners.get(name) ?? [])
        listener(name === 'disconnect' ? toError(value as Told) : value)
    if (answer.error) throw toError(answer.error)
    return answer.result
  }

  const provider = {
    request: (request: object) => ask({ request }),
    on(name: string, listener: Listener) {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener))
    },
    removeListener(name: string, listener: Listener) {
      listeners.get(name)?.delete(listener)
    },
  }
  const info = Object.freeze({ ...named, uuid })
  const detail = Object.freeze({ info, provider })
  const announce = () =>
    void page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  Object.assign(globalThis, {
    forkyardWallet: {
      provider,
      set: (switches: object) => ask({ set: switches }),
      switchTo: (id: number) => ask({ switchTo: id }),
      asked: () => ask({}),
    },
  })
  page.addEventListener('eip6963:requestProvider', announce)
  announce()
}
