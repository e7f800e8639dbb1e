import type { Address } from 'viem'
import type { TargetRow } from './checkQuote.ts'
import { createHttp, type ProviderHttp } from './provider/createHttp.ts'
import { type Ask, createProvider, type Provider } from './provider/createProvider.ts'
import type { Source } from './source.ts'
import { bebop } from './sources/bebop.ts'
import { cow } from './sources/cow.ts'
import { enso } from './sources/enso.ts'
import { fabric } from './sources/fabric.ts'
import { fly } from './sources/fly.ts'
import { kyberSwap } from './sources/kyberSwap.ts'
import { lifi } from './sources/lifi.ts'
import { nordstern } from './sources/nordstern.ts'
import { okx } from './sources/okx.ts'
import { oneInch } from './sources/oneInch.ts'
import { openOcean } from './sources/openOcean.ts'
import { relay } from './sources/relay.ts'
import { remoteRouting } from './sources/remoteRouting.ts'
import { sushi } from './sources/sushi.ts'
import { uniswapApi } from './sources/uniswapApi.ts'
import { velora } from './sources/velora.ts'
import { zeroX } from './sources/zeroX.ts'

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
 * The allowlist of the providers: what is known of each, and what the operator adds. Without a list,
 * a provider's quotes are refused under the strict policy.
 */
export function targetsOf(settings: readonly ProviderSetting[]): readonly TargetRow[] {
  return providers.flatMap(({ name, chains, contracts }) => {
    const added = settings.find((setting) => setting.name === name)?.contracts ?? {}
    return Object.keys(chains).flatMap((id): readonly TargetRow[] => {
      const chainId = Number(id)
      const more = added[id] ?? []
      const targets = [...(contracts[chainId]?.targets ?? []), ...more]
      const spenders = [...(contracts[chainId]?.spenders ?? []), ...more]
      return targets.length > 0 ? [{ provider: name, chainId, targets, spenders }] : []
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
  { now, gasPriceWei }: Pick<Ask, 'now' | 'gasPriceWei'>,
  {
    settings,
    allowPrivate,
  }: { readonly settings: readonly ProviderSetting[]; readonly allowPrivate: boolean },
): readonly RunningProvider[] {
  return settings.map((setting) => {
    const provider = providers.find(({ name }) => name === setting.name)
    if (!provider) throw new UnknownProvider(`there is no provider ${setting.name}`)
    const http = createHttp({ baseUrl: setting.baseUrl ?? provider.baseUrl, allowPrivate, now })
    const source = createProvider(provider, { http, key: setting.key, now, gasPriceWei })
    return { source, provider, setting, http }
  })
}
