import { alarmKinds, type Observe, type RelayEvent } from '../relay/events.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

const alarms: ReadonlySet<RelayEvent['kind']> = new Set(alarmKinds)

/** One log line and one count for each event of the relay; its state of every half minute becomes gauges. */
export function reportRelay({
  log,
  metrics,
}: {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'relayed' | 'funded'>
}): Observe {
  return (event) => {
    if (event.kind === 'funds') {
      metrics.funded(event.chainId, toAmounts(event))
      return
    }
    metrics.relayed(event)
    const { cause, ...facts } = 'cause' in event ? event : { ...event, cause: undefined }
    const level = alarms.has(event.kind) ? 'warn' : 'info'
    // Under `err`, the log writes an error's message and stack.
    log[level]({ ...facts, err: cause }, `relay: ${event.kind.replaceAll('_', ' ')}`)
  }
}

const toAmounts = ({
  balanceWei,
  deploysThisHour,
  spendThisHourWei,
  pending,
  limits,
}: Extract<RelayEvent, { readonly kind: 'funds' }>) => ({
  balanceWei,
  minBalanceWei: limits.minRelayerBalanceWei,
  deploysThisHour,
  maxDeploysPerHour: limits.maxDeploysPerHour,
  spendThisHourWei,
  maxSpendPerHourWei: limits.maxSpendPerHourWei,
  pending,
})
