import { makeRequest } from '../../../fixtures/meta/quotes.ts'
import type { Ask } from '../provider/provider.ts'
import type { SourceOutcome } from '../provider/source.ts'
import { providers } from '../sources/providers.ts'

/** One question to a provider, whose HTTP is the test's own. */
export function askProvider(
  name: string,
  { call, request = makeRequest(), ...own }: Partial<Ask> & Pick<Ask['http'], 'call'>,
): Promise<SourceOutcome> {
  const provider = providers.find((each) => each.name === name)
  if (!provider) throw new Error(`no provider ${name}`)
  return provider.ask({
    http: { call, close: async () => undefined },
    key: 'id:secret:pass',
    request,
    chain: 'base',
    tokenIn: request.tokenIn,
    tokenOut: request.tokenOut,
    slippageBps: request.slippageBps,
    signal: new AbortController().signal,
    now: () => 1_770_000_000_000,
    gasPriceWei: async () => 5n,
    ...own,
  })
}
