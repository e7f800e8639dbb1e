import { computed, signal } from '@preact/signals'
import { createClient } from '../../../client/client.ts'
import { ForkyardError } from '../../../client/forkyardError.ts'
import { createLab, readManifest } from '../../../client/lab.ts'
import { createOps } from '../../../client/ops.ts'
import type { GatewayFacts, LabManifest } from '../../../client/wire/ops.ts'

/** The operators' listener that served this page. */
export const ops = createOps({ url: location.origin })

type Door = 'opening' | 'open' | 'login' | 'closed'
export const door = signal<Door>('opening')
/** Why it is not open. */
export const doorSentence = signal('')
export const gateway = signal<GatewayFacts | undefined>(undefined)
/** Of a chain, for people. */
export const nameOf = (chainId: number) =>
  gateway.value?.chains.find((chain) => chain.chainId === chainId)?.name ?? String(chainId)
/** Of a lab only: where it is, everything is allowed. */
export const manifest = signal<LabManifest | undefined>(undefined)
/** Where there is no manifest with a key: one that the operator gives, kept while the page is open. */
export const apiKey = signal('')

export const client = computed(() => {
  const services = manifest.value?.services ?? gateway.value?.services
  if (!services) return undefined
  const key = manifest.value?.apiKey ?? apiKey.value
  return createClient({ services, clientId: 'console', apiKey: key === '' ? undefined : key })
})

export const lab = computed(() => {
  const { adminToken } = manifest.value ?? {}
  // By the name in the page's own address: another would be a foreign origin.
  const services = { ops: location.origin }
  return adminToken === undefined ? undefined : createLab({ services, adminToken })
})

export async function openDoor(): Promise<void> {
  try {
    const facts = await ops.gateway()
    if (facts.mode !== 'live') manifest.value = await readManifest(location.origin)
    gateway.value = facts
    door.value = 'open'
  } catch (error) {
    const isLogin = error instanceof ForkyardError && error.status === 401
    doorSentence.value = sentenceOf(error)
    door.value = isLogin ? 'login' : 'closed'
  }
}

/** What went wrong, for a person. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ForkyardError))
    return error instanceof Error ? error.message : String(error)
  const details = (error.details ?? []).map(({ field, reason }) => `${field} ${reason}`)
  return [error.message, ...details].join('; ')
}
