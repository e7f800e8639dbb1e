import type { Provider } from './testWallet.ts'

export type WalletInfo = {
  readonly uuid: string
  readonly name: string
  /** A data URI. */
  readonly icon: string
  readonly rdns: string
}

/** As pages know it where nobody says otherwise. */
export const usualInfo: Omit<WalletInfo, 'uuid'> = {
  name: 'Forkyard',
  icon: 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E',
  rdns: 'dev.forkyard.wallet',
}

/** Has pages discover the provider (EIP-6963), now and whenever they ask; what it returns stops that. */
export function announceWallet(
  provider: Provider,
  { name = usualInfo.name, rdns = usualInfo.rdns }: Partial<WalletInfo> = {},
): () => void {
  const info: WalletInfo = { ...usualInfo, uuid: crypto.randomUUID(), name, rdns }
  const detail = Object.freeze({ info: Object.freeze(info), provider })
  const page: EventTarget = globalThis as unknown as EventTarget
  const announce = () =>
    void page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  page.addEventListener('eip6963:requestProvider', announce)
  announce()
  return () => page.removeEventListener('eip6963:requestProvider', announce)
}
