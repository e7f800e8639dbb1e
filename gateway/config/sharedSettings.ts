import { createHmac } from 'node:crypto'
import { settingName } from '../chain/settingName.ts'
import type { Config } from './config.ts'

/** Tells peppers apart and says nothing of them. */
const toMark = (pepper: string) =>
  createHmac('sha256', pepper).update('forkyard settings').digest('hex').slice(0, 16)

const pepperSetting = 'KEY_PEPPER'

/** Settings by which gateways of one database would contradict each other, by their names. */
export function listSharedSettings(config: Config): Readonly<Record<string, string>> {
  const { formerPepper, relay, claims, rateLimit } = config
  const peppers = [config.keyPepper, ...(formerPepper ? [formerPepper.pepper] : [])]
  const chains = config.chains.flatMap(({ chain, ...settings }) => [
    [settingName(chain, 'EXECUTOR'), settings.executor],
    [settingName(chain, 'QUOTA_MANAGER'), settings.quotaManager],
    [settingName(chain, 'PROXY_FACTORY'), settings.proxyFactory],
    [settingName(chain, 'PENDING_WINDOW_SECS'), settings.relayLimits.pendingWindowMs / 1_000],
    [settingName(chain, 'X402_SETTLE'), settings.settlementLimits !== undefined],
  ])
  const rows = [
    [pepperSetting, peppers.map(toMark).join(' ')],
    ['FORKYARD_MODE', config.mode],
    ['FREE_QUOTA', config.freeQuota],
    ['LEDGER_DETAIL_DAYS', config.ledgerDetailDays],
    ['RATE_LIMIT_PER_SECOND', rateLimit.perSecond],
    ['RATE_LIMIT_BURST', rateLimit.burst],
    ['REDIS_URL', config.redisUrl === undefined ? 'none' : 'given'],
    ['META_KEYS', config.meta.keys],
    ['CLAIM_CONFIRMATIONS', claims.confirmations],
    ['CLAIM_FINALIZED_ABOVE', claims.finalizedAbove],
    ['RELAY_OWNER_SIGNATURE', relay.rules.ownerSignature],
    ['RELAY_SIGNED_SHARE_PERCENT', relay.rules.signedSharePercent],
    ['RELAY_MAX_NEW_PER_NETWORK_HOUR', relay.rules.maxNewPerNetwork ?? 0],
    ...chains,
  ]
  return Object.fromEntries(rows.map(([name, value]) => [String(name), String(value ?? '')]))
}

/** Names of what differs; a chain that only one of them serves contradicts nothing. */
export function findDifferences(
  own: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(own).flatMap(([name, value]) => {
    const theirs = other[name]
    if (theirs === undefined || theirs === value) return []
    return name === pepperSetting && knowEachOther(value, theirs) ? [] : [name]
  })
}

/** In a rotation one of two gateways hashes under what is the other's former pepper. */
function knowEachOther(one: string, other: string): boolean {
  const [ours, theirs] = [one.split(' '), other.split(' ')]
  return theirs.includes(ours[0] ?? '') || ours.includes(theirs[0] ?? '')
}

/** What each gateway bounds by itself: of several, all together let as many times more pass. */
export function listOwnLimits({ redisUrl, rateLimit, ipRateLimit, meta, callBudget }: Config) {
  const { perSecondOf } = callBudget
  const limits = {
    ...(redisUrl === undefined && {
      RATE_LIMIT_PER_SECOND: rateLimit.perSecond,
      RATE_LIMIT_BURST: rateLimit.burst,
      IP_RATE_LIMIT_PER_SECOND: ipRateLimit?.perSecond,
      IP_RATE_LIMIT_BURST: ipRateLimit?.burst,
    }),
    META_MAX_STREAMS: meta.streamCaps.total,
    META_MAX_STREAMS_PER_ADDRESS: meta.streamCaps.perAddress,
    UPSTREAM_CALLS_PER_SECOND: callBudget.perSecond,
    UPSTREAM_UNITS_PER_SECOND: callBudget.unitsPerSecond,
    UPSTREAM_UNITS_PER_MONTH: callBudget.unitsPerMonth,
    UPSTREAM_SIMULATION_PER_SECOND: perSecondOf.simulation,
    UPSTREAM_META_PER_SECOND: perSecondOf.meta,
    UPSTREAM_WARM_UP_PER_SECOND: perSecondOf.warmUp,
  }
  return Object.entries(limits).map(([setting, value]) => ({
    setting,
    value: value ?? Number.POSITIVE_INFINITY,
  }))
}
