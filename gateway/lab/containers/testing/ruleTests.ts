import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const dir = join(import.meta.dirname, '../../../../docker/alerts')
const files = ['gateway.yaml', 'objectives.yaml', 'relay.yaml'] as const
export const ruleFiles = files.map((name) => join(dir, name))

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
type Recording = { readonly record: string; readonly expr: string }
type Series = Readonly<Record<string, string>>
type Case = {
  readonly alert: string
  /** In promtool's notation, a value every 30 s. */
  readonly series: Series
  /** Of the one alert that fires; undefined: it is quiet. */
  readonly fires: Readonly<Record<string, string>> | undefined
}

const hours = 'x300'
const still = (value: string) => `${value}+0${hours}`
const up = 'up{job="gateway",instance="a:8090"}'
const byInstance = { job: 'gateway', instance: 'a:8090' }
const startedAt = 'process_start_time_seconds{job="gateway",instance="a:8090"}'
const leads = (one: string, other: string) => ({
  'forkyard_sync_leads{chain="8453",instance="a"}': still(one),
  'forkyard_sync_leads{chain="8453",instance="b"}': still(other),
})
const answers = (failures: number, { service = 'routing', status = '503' } = {}) => ({
  [`forkyard_http_requests_total{service="${service}",status="200"}`]: `0+100${hours}`,
  [`forkyard_http_requests_total{service="${service}",status="${status}"}`]: `0+${failures}${hours}`,
})
/** The chain is out of reach. */
const ofRelay = { service: 'relay', status: '502' }
/** No source has a quote, for whatever the caller named. */
const ofMeta = { service: 'meta', status: '502' }
/** A gateway says to its probes that it starts or stops. */
const ofOps = { service: 'ops', status: '503' }
const gaugeBy =
  (label: string, value: string) =>
  (alert: string, name: string, loud: string, quiet: string): readonly Case[] => {
    const series = `${name}{${label}="${value}"}`
    return [
      { alert, series: { [series]: still(loud) }, fires: { [label]: value } },
      { alert, series: { [series]: still(quiet) }, fires: undefined },
    ]
  }
const gauge = gaugeBy('chain', '8453')
const gaugeOfGateway = gaugeBy('instance', 'a')
const unauthorised = 'forkyard_http_requests_total{service="routing",status="401"}'
const limits = 'forkyard_shared_limits_connected'
const certificateLeft = 'forkyard_certificate_left_seconds'
const loopOf = (job: string) => `nodejs_eventloop_lag_p99_seconds{job="${job}"}`
const refused = (purpose: string) =>
  `forkyard_upstream_calls_total{chain="8453",instance="a",outcome="refused",purpose="${purpose}"}`
const spent = (alert: string, purpose: string, labels: Readonly<Record<string, string>>) => [
  { alert, series: { [refused(purpose)]: `0+5${hours}` }, fires: { chain: '8453', ...labels } },
  { alert, series: { [refused(purpose)]: still('50') }, fires: undefined },
]
const bytes = (kind: string, instance = 'a') =>
  `forkyard_database_bytes{kind="${kind}",instance="${instance}"}`
const backupDisk = (kind: string) => `forkyard_backup_disk_bytes{kind="${kind}"}`
const failed = 'forkyard_sync_events_total{chain="8453",event="failed",instance="a"}'
const relayEvent = (kind: string) =>
  `forkyard_relay_events_total{chain="8453",kind="${kind}",code=""}`
/** Counted once, so long before a case of 15 minutes ends. */
const onceAgo = (mins: number) => `0x${2 * (15 - mins) - 1} 1${hours}`

const slow = (share: number) => {
  const durations = 'forkyard_http_request_duration_seconds'
  const labels = 'service="routing",route="/quote"'
  return {
    [`${durations}_bucket{${labels},le="2.5"}`]: `0+${100 - share}${hours}`,
    [`${durations}_count{${labels}}`]: `0+100${hours}`,
  }
}
const speeds = ['Fast', 'Steady', 'Slow'] as const
/** Each of three speeds at which a budget burns: what is above all three, and what is between two. */
const burns = (
  name: string,
  series: (share: number) => Series,
  { shares, service = 'routing' }: { shares: readonly number[]; service?: string },
) =>
  speeds.flatMap((speed, index) => {
    const alert = `${name}Burn${speed}`
    const quiet = shares[index + 1] ?? 0
    return [
      { alert, series: series(shares[index] ?? 0), fires: { service } },
      { alert, series: series(quiet), fires: undefined },
    ]
  })
/** Failures beside each hundred answers: 1.96 %, 0.99 %, 0.2 % and 0.05 %. */
const failureShares = [2, 1, 0.2, 0.05]

const gatewayCases: readonly Case[] = [
  { alert: 'Watchdog', series: {}, fires: {} },
  { alert: 'GatewayDown', series: { [up]: still('0') }, fires: byInstance },
  { alert: 'GatewayDown', series: { [up]: '1x4 stale' }, fires: { job: 'gateway' } },
  { alert: 'GatewayDown', series: { [up]: still('1') }, fires: undefined },
  ...[
    { times: '10x9 20x9 30x9 40x300', fires: byInstance },
    // An upgrade and its way back.
    { times: '10x9 20x9 30x300', fires: undefined },
  ].map(({ times, fires }) => ({
    alert: 'GatewayRestarts',
    series: { [startedAt]: times },
    fires,
  })),
  ...gaugeOfGateway('GatewayNotReady', 'forkyard_ready', '0', '1'),
  ...gaugeOfGateway('DatabaseTakesNoWrites', 'forkyard_database_takes_writes', '0', '1'),
  ...[
    { free: '1100', fires: undefined },
    { free: '900', fires: { instance: 'a' } },
  ].map(({ free, fires }) => ({
    alert: 'DatabaseDiskNearlyFull',
    series: { [bytes('free')]: still(`${free}000000`), [bytes('disk')]: still('500000000000') },
    fires,
  })),
  ...gaugeOfGateway('GatewayImpaired', 'forkyard_warnings', '2', '0'),
  ...gauge('NoSimulationFork', 'forkyard_fork_ready', '0', '1'),
  ...gauge('SimulationForkStale', 'forkyard_fork_age_seconds', '61', '5'),
  ...[
    { series: { [failed]: `0+5${hours}` }, fires: { chain: '8453', instance: 'a' } },
    { series: { [failed]: still('50') }, fires: undefined },
  ].map((one) => ({ alert: 'ChainNotFollowed', ...one })),
  { alert: 'ChainWithoutReader', series: leads('0', '0'), fires: { chain: '8453' } },
  { alert: 'ChainWithoutReader', series: leads('0', '1'), fires: undefined },
  ...gauge('PoolsStale', 'forkyard_sync_lag_seconds', '31', '2'),
  // Before the first reading, which takes its time.
  ...gauge('PoolsStale', 'forkyard_sync_lag_seconds', '31', 'Inf').slice(1),
  ...gauge('HeadOld', 'forkyard_head_age_seconds', '61', '59'),
  ...[
    { what: 'node', isPaged: true },
    { what: 'chain_or_node', isPaged: true },
    { what: 'chain', isPaged: false },
  ].map(({ what, isPaged }) => ({
    alert: 'NodeStandsStill',
    series: { [`forkyard_stands_still{chain="8453",instance="a",what="${what}"}`]: still('1') },
    fires: isPaged ? { chain: '8453', instance: 'a' } : undefined,
  })),
  ...gauge('ChainNeverRead', 'forkyard_sync_lag_seconds', 'Inf', '31'),
  ...spent('UpstreamBudgetSpent', 'simulation', { instance: 'a', purpose: 'simulation' }),
  ...spent('WarmUpBudgetSpent', 'warmUp', { instance: 'a' }),
  { alert: 'ServerErrors', series: answers(10), fires: { service: 'routing' } },
  { alert: 'ServerErrors', series: answers(1), fires: undefined },
  { alert: 'ServerErrors', series: answers(10, ofRelay), fires: { service: 'relay' } },
  ...[ofMeta, ofOps].map((of) => ({
    alert: 'ServerErrors',
    series: answers(1_000, of),
    fires: undefined,
  })),
  ...[
    { perStep: 300, fires: { service: 'routing' } },
    { perStep: 30, fires: undefined },
  ].map(({ perStep, fires }) => ({
    alert: 'KeysGuessed',
    series: { [unauthorised]: `0+${perStep}${hours}` },
    fires,
  })),
  { alert: 'CertificateEnds', series: { [certificateLeft]: still('-5') }, fires: {} },
  { alert: 'CertificateEnds', series: { [certificateLeft]: still('172801') }, fires: undefined },
  // Nobody has seen it: that is not yet its end.
  { alert: 'CertificateEnds', series: { [certificateLeft]: still('NaN') }, fires: undefined },
  { alert: 'SharedRateLimitsLost', series: { [limits]: still('0') }, fires: {} },
  { alert: 'SharedRateLimitsLost', series: { [limits]: still('1') }, fires: undefined },
  ...[
    { job: 'gateway', lag: '0.3', fires: { job: 'gateway' } },
    { job: 'gateway', lag: '0.1', fires: undefined },
    // Of somebody else, in a Prometheus that watches more than gateways.
    { job: 'shop', lag: '0.3', fires: undefined },
  ].map(({ job, lag, fires }) => ({
    alert: 'EventLoopBusy',
    series: { [loopOf(job)]: still(lag) },
    fires,
  })),
  ...['1', '0'].map((value) => ({
    alert: 'SettingsDiffer',
    series: { 'forkyard_settings_differ{setting="FREE_QUOTA",instance="a"}': still(value) },
    fires: value === '1' ? { setting: 'FREE_QUOTA' } : undefined,
  })),
  ...burns('Errors', answers, { shares: failureShares }),
  ...burns('Errors', (share) => answers(share, ofRelay), {
    shares: failureShares,
    service: 'relay',
  }),
  ...speeds.flatMap((speed) =>
    [ofMeta, ofOps].map((of) => ({
      alert: `ErrorsBurn${speed}`,
      series: answers(1_000, of),
      fires: undefined,
    })),
  ),
  // One of few answers is a large share of them.
  ...['ServerErrors', 'ErrorsBurnFast', 'ErrorsBurnSteady'].map((alert) => ({
    alert,
    series: {
      'forkyard_http_requests_total{service="routing",status="200"}': still('20'),
      'forkyard_http_requests_total{service="routing",status="503"}': onceAgo(2.5),
    },
    fires: undefined,
  })),
  ...['SlowQuotesBurnFast', 'SlowQuotesBurnSteady'].map((alert) => {
    const [bucket = '', count = ''] = Object.keys(slow(0))
    return { alert, series: { [bucket]: still('0'), [count]: onceAgo(2.5) }, fires: undefined }
  }),
  // What happens once is over: nobody is called at night for it.
  ...[
    { alert: 'UpstreamBudgetSpent', series: refused('simulation'), agoMins: 2.5 },
    { alert: 'RelayChainUnreachable', series: relayEvent('chain_unreachable'), agoMins: 2.5 },
    { alert: 'RelayNonceGap', series: relayEvent('nonce_gap'), agoMins: 1 },
  ].map(({ alert, series, agoMins }) => ({
    alert,
    series: { [series]: onceAgo(agoMins) },
    fires: undefined,
  })),
  ...burns('SlowQuotes', slow, { shares: [20, 10, 2, 0.5] }),
]

/**
 * Each rule of the relay counts one kind of event: it fires while that goes on, and not when it is over. One
 * of them does so after an hour.
 */
function relayCases(rules: readonly Rule[], fires: boolean): readonly Case[] {
  return rules.map(({ alert, expr }) => {
    const labels = /\{(.+?)\}/.exec(expr)?.[1]
    if (labels === undefined) throw new Error(`${alert} counts no events`)
    const series = `forkyard_relay_events_total{chain="8453",${labels}}`
    return fires
      ? { alert, series: { [series]: `0+1000${hours}` }, fires: { chain: '8453' } }
      : { alert, series: { [series]: still('1000') }, fires: undefined }
  })
}

/** Rules that wait for an hour and the relay's, first all with reason and then all without. */
const hourLongWorlds = (relay: readonly Rule[]) =>
  [
    {
      fires: true,
      perStep: '-1000',
      backup: '129601',
      restore: '777601',
      left: '1209599',
      seen: 'NaN',
      kept: '99',
      told: 'free',
    },
    {
      fires: false,
      perStep: '-1',
      backup: '86400',
      restore: '604800',
      left: '1209601',
      seen: '9999999',
      kept: '101',
      told: 'disk',
    },
  ].map(({ fires, perStep, backup, restore, left, seen, kept, told }): readonly Case[] => [
    {
      alert: 'CertificateUnseen',
      series: { [`${certificateLeft}{instance="b"}`]: still(seen) },
      fires: fires ? { instance: 'b' } : undefined,
    },
    {
      alert: 'BackupDiskNearlyFull',
      series: { [backupDisk('free')]: still(kept), [backupDisk('disk')]: still('1000') },
      fires: fires ? {} : undefined,
    },
    {
      // Without the size of its disk a database's room is not known.
      alert: 'DatabaseDiskUnknown',
      series: { [bytes('size', 'b')]: still('1'), [bytes(told, 'b')]: still('9000000000') },
      fires: fires ? { kind: 'size', instance: 'b' } : undefined,
    },
    {
      alert: 'CertificateEndsSoon',
      series: { [certificateLeft]: still(left) },
      fires: fires ? {} : undefined,
    },
    {
      alert: 'DatabaseDiskFillsSoon',
      series: { [bytes('free')]: `2000000${perStep}${hours}` },
      fires: fires ? { kind: 'free', instance: 'a' } : undefined,
    },
    {
      alert: 'BackupOld',
      series: { 'forkyard_backup_age_seconds{instance="a"}': still(backup) },
      fires: fires ? {} : undefined,
    },
    {
      alert: 'RestoreNotTested',
      series: { 'forkyard_restore_test_age_seconds{instance="a"}': still(restore) },
      fires: fires ? {} : undefined,
    },
    ...relayCases(relay, fires),
  ])

/** The rules of docker/alerts, and unit tests of every one in promtool's format, which JSON is, too. */
export function createRuleTests({ rulesDir = dir }: { readonly rulesDir?: string } = {}) {
  const [gateway = [], objectives = [], relay = []] = files.map((name) => {
    // Our own files: promtool itself judges their shape.
    const { groups } = parse(readFileSync(join(dir, name), 'utf8')) as {
      readonly groups: readonly { readonly rules: readonly (Rule | Recording)[] }[]
    }
    return groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule))
  })
  const rules = [...gateway, ...objectives, ...relay]
  const hourLong = hourLongWorlds(relay)
  const cases = [...gatewayCases, ...hourLong.flat()]
  const toTest = (together: readonly Case[], after: string) => ({
    interval: '30s',
    input_series: together.flatMap(({ series }) =>
      Object.entries(series).map(([name, values]) => ({ series: name, values })),
    ),
    alert_rule_test: together.map(({ alert, fires }) => {
      const rule = rules.find((one) => one.alert === alert)
      if (!rule) throw new Error(`there is no rule ${alert}`)
      const expected = fires && toExpected(rule, fires)
      return { eval_time: after, alertname: alert, exp_alerts: expected ? [expected] : [] }
    }),
  })
  return {
    /** Names of rules that no case makes fire. */
    untested: rules
      .map(({ alert }) => alert)
      .filter((alert) => !cases.some((one) => one.alert === alert && one.fires)),
    text: JSON.stringify({
      rule_files: files.map((name) => join(rulesDir, name)),
      evaluation_interval: '30s',
      tests: [
        ...shareWorlds(gatewayCases).map((together) => toTest(together, '15m')),
        ...hourLong.map((together) => toTest(together, '70m')),
      ],
    }),
  }
}

/** promtool evaluates every rule in each world: cases share one unless they look at the same metric. */
function shareWorlds(cases: readonly Case[]): readonly (readonly Case[])[] {
  const worlds: { readonly metrics: Set<string>; readonly cases: Case[] }[] = []
  for (const one of cases) {
    const metrics = Object.keys(one.series).map((series) => series.replace(/\{.*/, ''))
    const room = worlds.find((world) => !metrics.some((metric) => world.metrics.has(metric)))
    const world = room ?? { metrics: new Set(), cases: [] }
    if (!room) worlds.push(world)
    for (const metric of metrics) world.metrics.add(metric)
    world.cases.push(one)
  }
  return worlds.map(({ cases }) => cases)
}

const toExpected = (rule: Rule, labels: Readonly<Record<string, string>>) => ({
  exp_labels: { ...rule.labels, ...labels },
  exp_annotations: rule.annotations,
})
