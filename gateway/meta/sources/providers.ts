import type { Address } from 'viem'
import { chains } from '../../chain/chains.ts'
import type { TargetRow } from '../calldata/checkQuote.ts'
import { createCallLimit } from '../provider/callLimit.ts'
import { createHttp, type ProviderHttp } from '../provider/http.ts'
import { type Ask, createProvider, type Provider } from '../provider/provider.ts'
import type { Source } from '../provider/source.ts'
import { bebop } from './bebop.ts'
import { cow } from './cow.ts'
import { enso } from './enso.ts'
import { fabric } from './fabric.ts'
import { fly } from './fly.ts'
import { kyberSwap } from './kyberSwap.ts'
import { lifi } from './lifi.ts'
import { nordstern } from './nordstern.ts'
import { okx } from './okx.ts'
import { oneInch } from './oneInch.ts'
import { openOcean } from './openOcean.ts'
import { relay } from './relay.ts'
import { remoteRouting } from './remoteRouting.ts'
import { sushi } from './sushi.ts'
import { uniswapApi } from './uniswapApi.ts'
import { velora } from './velora.ts'
import { zeroX } from './zeroX.ts'

/** Every remote provider: one row, one file. */
export const providers: readonly Provider[] = [
  zeroX,
  oneInch,
  kyberSwap,
  velora,
  openOcean,
  lifi,
  relay,
  bebop,
  fabric,
  enso,
  uniswapApi,
  nordstern,
  fly,
  sushi,
  okx,
  cow,
  remoteRouting,
]

/**
 * The allowlist of the providers: what is known of each, and what the operator adds. Without a list a
 * provider has no row, and is off on that chain, unless the operator switched it on by name.
 */
export function targetsOf(
  settings: readonly ProviderSetting[],
  unlisted: readonly string[] = [],
): readonly TargetRow[] {
  return providers.flatMap(({ name }) => {
    const added = settings.find((setting) => setting.name === name)?.contracts ?? {}
    const open = { provider: name, targets: undefined, spenders: undefined }
    return chains.flatMap(({ chainId, providers: rows }): readonly TargetRow[] => {
      const row = rows[name]
      if (!row) return []
      const { contracts = [], calledOnly = [] } = row
      const spenders = [...contracts, ...(added[chainId] ?? [])]
      const targets = [...spenders, ...calledOnly]
      if (targets.length > 0)
        return [{ provider: name, chainId, targets, spenders, mustBeRead: true }]
      return unlisted.includes(name) ? [{ ...open, chainId }] : []
    })
  })
}

/** The allowlist as it is without anything added. */
export const providerTargets: readonly TargetRow[] = targetsOf([])

/** One provider as the operator configured it. */
export type ProviderSetting = {
  readonly name: string
  readonly key?: string | undefined
  readonly baseUrl?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly perSecond?: number | undefined
  /** Further contracts of the provider, to call and to approve, by chain id. */
  readonly contracts?: Readonly<Record<string, readonly Address[]>> | undefined
}

export type RunningProvider = {
  readonly source: Source
  readonly provider: Provider
  readonly setting: ProviderSetting
  readonly http: ProviderHttp
}

/** Thrown at start for a provider that nobody knows. */
class UnknownProvider extends Error {
  override readonly name = 'UnknownProvider'
}

/** The configured providers as sources. Those that are not configured are never called. */
export function startProviders(
  {
    now,
    passedMs = now,
    gasPriceWei,
  }: Pick<Ask, 'now' | 'gasPriceWei'> & {
    /** By which rates and pauses count. Default: `now`. */
    readonly passedMs?: (() => number) | undefined
  },
  {
    settings,
    allowPrivate,
  }: { readonly settings: readonly ProviderSetting[]; readonly allowPrivate: boolean },
): readonly RunningProvider[] {
  return settings.map((setting) => {
    const provider = providers.find(({ name }) => name === setting.name)
    if (!provider) throw new UnknownProvider(`there is no provider ${setting.name}`)
    const { baseUrl = provider.baseUrl, key } = setting
    const http = createHttp({ baseUrl, allowPrivate, now, key })
    const limit = createCallLimit({ perSecond: setting.perSecond, now: passedMs })
    const source = createProvider(provider, { http, limit, key, now, gasPriceWei })
    return { source, provider, setting, http }
  })
}
