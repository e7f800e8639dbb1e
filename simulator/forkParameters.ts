import { forkThreads } from './anvilBinary.ts'
import { type AnvilSettings, anvilSettings } from './forkSettings.ts'

/** What every fork is started with, whoever runs it; names are anvil's flags in camel case. */
export function forkParameters({
  chainId,
  upstreamUrl,
  blockNumber,
  settings = {},
}: {
  readonly chainId: number
  readonly upstreamUrl: string
  readonly blockNumber: bigint
  readonly settings?: AnvilSettings | undefined
}) {
  return {
    noCors: true,
    chainId,
    forkUrl: upstreamUrl,
    forkBlockNumber: blockNumber,
    accounts: 0,
    noStorageCaching: true,
    gasLimit: forkGasLimit,
    timeout: 2_000,
    retries: 1,
    forkRetryBackoff: 100,
    noRateLimit: true,
    disableConsoleLog: true,
    threads: forkThreads,
    ...anvilSettings(settings),
  }
}

/** More than any block that we simulate in needs, and the bound of calls that state no gas. */
const forkGasLimit = 60_000_000
