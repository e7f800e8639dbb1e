import type { Provider, TestWallet } from 'forkyard/wallet'
import type { Page } from 'playwright-core'

type Call = Parameters<Provider['request']>[0]
type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string } }

/**
 * For Playwright: a page that is opened afterwards discovers the wallet, which stays in the test with its
 * switches. Nothing is bundled, and the page's sources know nothing of it.
 */
export async function giveWallet(page: Page, { provider }: TestWallet): Promise<void> {
  const answer = (call: Call): Promise<Answer> =>
    provider.request(call).then(
      (result) => ({ result }),
      ({ code, message }) => ({ error: { code, message } }),
    )
  await page.exposeFunction('askTestWallet', answer)
  await page.addInitScript(announce)
  for (const event of ['accountsChanged', 'chainChanged', 'connect', 'disconnect'] as const)
    provider.on(event, (value) => {
      const tell = ([name, detail]: readonly unknown[]) => {
        const target = globalThis as unknown as EventTarget
        target.dispatchEvent(new CustomEvent(`testWallet:${name}`, { detail }))
      }
      // A page that is closed, or goes elsewhere meanwhile, hears nothing.
      page.evaluate(tell, [event, value]).catch(() => undefined)
    })
}

/** Runs in the page, before its own scripts. */
function announce() {
  type Listener = (value: unknown) => void
  const { askTestWallet } = globalThis as unknown as {
    readonly askTestWallet: (call: Call) => Promise<Answer>
  }
  const target = globalThis as unknown as EventTarget
  const heard = new Map<Listener, (event: Event) => void>()
  const provider = {
    async request(call: Call) {
      const { result, error } = await askTestWallet(call)
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
    on(name: string, listener: Listener) {
      const hear = (event: Event) => listener((event as CustomEvent).detail)
      heard.set(listener, hear)
      target.addEventListener(`testWallet:${name}`, hear)
    },
    removeListener(name: string, listener: Listener) {
      const hear = heard.get(listener)
      if (hear) target.removeEventListener(`testWallet:${name}`, hear)
    },
  }
  const icon = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E'
  const info = {
    uuid: '5c0c2f4e-8d1b-4b52-9b53-3f6f6c7a9e10',
    name: 'Forkyard',
    icon,
    rdns: 'dev.forkyard.wallet',
  }
  const detail = Object.freeze({ info: Object.freeze(info), provider })
  const tell = () => target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  target.addEventListener('eip6963:requestProvider', tell)
  tell()
}
