import { chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'

/** The lab's own defaults where the person has set nothing: what would only be in a tester's way is off. */
export function labDefaults(env: Readonly<Record<string, string | undefined>>) {
  const defaults = {
    FREE_QUOTA: '1000',
    // A lab that is ended waits for nobody long.
    SHUTDOWN_GRACE_SECS: '3',
    RATE_LIMIT_PER_SECOND: '1000',
    RATE_LIMIT_BURST: '5000',
    IP_RATE_LIMIT_PER_SECOND: '0',
    CLAIM_CONFIRMATIONS: '1',
    ...Object.fromEntries(chains.map((chain) => [settingName(chain, 'X402_SETTLE'), 'true'])),
  }
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !env[name]))
}
