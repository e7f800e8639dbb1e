import type { Config } from './config.ts'

/** What no line of the log may hold; URLs whole, since any part of one may be its key. */
export function listSecrets(config: Config): readonly string[] {
  const { keyPepper, opsToken, labToken, formerPepper, databaseUrl, redisUrl, traces } = config
  const ofChains = config.chains.flatMap(({ rpcUrls, wsUrl, forkOrigin, relayer }) => [
    ...rpcUrls,
    wsUrl,
    forkOrigin?.rpcUrl,
    relayer && 'privateKey' in relayer ? relayer.privateKey : undefined,
    relayer && 'keyUrl' in relayer ? relayer.keyUrl : undefined,
  ])
  return [
    keyPepper,
    opsToken,
    labToken,
    formerPepper?.pepper,
    databaseUrl,
    redisUrl,
    traces?.url,
    ...Object.values(traces?.headers ?? {}),
    ...config.meta.providers.map(({ key }) => key),
    ...ofChains,
  ].flatMap((secret) => secret || [])
}
