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

/** Providers whose contracts were seen on Base only. */
const baseOnly: ReadonlySet<string> = new Set(['fabric', 'nordstern', 'lifi'])

/** The allowlist of all providers; whatever is not in it is refused under the strict policy. */
export const providerTargets: readonly TargetRow[] = providers.flatMap(
  ({ name, chains, contracts }) =>
    Object.keys(chains).flatMap((chainId): readonly TargetRow[] => {
      const isKnown = contracts && (chainId === '8453' || !baseOnly.has(name))
      return isKnown ? [{ provider: name, chainId: Number(chainId), ...contracts }] : []
    }),
)

/** One provider as the operator configured it. */
export type ProviderSetting = {
  readonly name: string
  readonly key?: string | undefined
  readonly baseUrl?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly perSecond?: number | undefined
}

export type RunningProvider = {
  readonly source: Source
  readonly provider: Provider
  readonly setting: ProviderSetting
  readonly http: ProviderHttp
}

/** Thrown at start for a provider that nobody knows. */
export class UnknownProvider extends Error {
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
