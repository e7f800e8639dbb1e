import { LRUCache } from 'lru-cache'
import { httpError } from '../../http/httpError.ts'
import { errorCodes } from '../../wallet/providerError.ts'
import { createTestWallet, type Provider, type Switches } from '../../wallet/testWallet.ts'
import type { LabManifest } from '../manifest.ts'
import type { PageAnswer } from './pageScript.ts'

/** Whoever opens more has the oldest ask for its accounts again. */
const mostPages = 1_000
const events = ['accountsChanged', 'chainChanged', 'connect', 'disconnect'] as const

export type PageQuestion = {
  /** Of one loaded page. */
  readonly session: string
  /** Which of the lab's accounts, counted from 0. */
  readonly account: number
  readonly chainId?: number | undefined
  readonly request?: Parameters<Provider['request']>[0] | undefined
  readonly set?: Partial<Switches> | undefined
  readonly switchTo?: number | undefined
}

export type PageWalletDeps = {
  /** Anew for each page: the lab may be another by then. */
  readonly readChains: () => Promise<LabManifest['chains']>
}

/** The wallets of pages under test: each loaded page has one of its own, which signs here. */
export function createPageWallets({ readChains }: PageWalletDeps) {
  const opened = new LRUCache<string, ReturnType<typeof open>>({ max: mostPages })

  async function open({ account: index, chainId }: PageQuestion) {
    const chains = await readChains()
    const chain = chainId === undefined ? Object.values(chains)[0] : chains[chainId]
    const account = chain?.accounts[index]
    if (!account) throw httpError('invalidRequest', 'the lab has no such chain or account')
    const wallet = createTestWallet({ chains, chainId, privateKey: account.privateKey })
    const told: { name: string; value: unknown }[] = []
    for (const name of events)
      wallet.provider.on(name, (value) =>
        told.push({ name, value: value instanceof Error ? toTold(value) : value }),
      )
    return { wallet, told }
  }

  return {
    async ask(question: PageQuestion): Promise<PageAnswer> {
      const { session } = question
      const opening = opened.get(session) ?? open(question)
      opened.set(session, opening)
      const { wallet, told } = await opening.catch((error: unknown) => {
        // The next one may choose what the lab has.
        opened.delete(session)
        throw error
      })
      const answer = await answerOf(wallet, question)
      return { events: told.splice(0), ...answer }
    },
  }
}

async function answerOf(
  { asked, provider, set, switchTo }: ReturnType<typeof createTestWallet>,
  question: PageQuestion,
): Promise<Pick<PageAnswer, 'result' | 'error'>> {
  try {
    if (question.request) return { result: await provider.request(question.request) }
    if (question.set) return { result: set(question.set) }
    if (question.switchTo !== undefined) return { result: switchTo(question.switchTo) }
    return { result: asked }
  } catch (error) {
    return { error: toTold(error) }
  }
}

/** As the page would have it of a provider of its own: with the node's data, where it reverts. */
function toTold(error: unknown): NonNullable<PageAnswer['error']> {
  const { code, message, data } = error as Error & { code?: unknown; data?: unknown }
  return {
    code: typeof code === 'number' ? code : errorCodes.internal,
    message: String(message),
    ...(data !== undefined && { data }),
  }
}
