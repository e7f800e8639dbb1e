import { assert, suite } from '../../fixtures/test.ts'
import { alarmKinds, type RelayEvent, refusalCodes } from '../relay/events.ts'
import { defaultLimits as limits } from '../relay/limits.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { reportRelay } from './reportRelay.ts'

const report = suite('what the relay reports')
const chainId = 8453
const rpcUrl = 'https://node.example/v2/very-secret'

function setUp() {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = createLog({ level: 'info', secrets: [rpcUrl], destination: { write } })
  const metrics = createMetrics()
  metrics.expectsRelay({ chainId, alarmKinds, refusalCodes })
  const read = async () => (await metrics.registry.metrics()).split('\n')
  const last = () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>
  return { tell: reportRelay({ log, metrics }), lines, last, read }
}
const counter = (kind: string, code: string, count: number) =>
  `forkyard_relay_events_total{chain="8453",kind="${kind}",code="${code}"} ${count}`

report('counts every reason for a refusal from zero, and says it in the log', async () => {
  const { tell, last, read } = setUp()
  for (const code of refusalCodes) assert.ok((await read()).includes(counter('answered', code, 0)))
  for (const [index, code] of refusalCodes.entries()) {
    tell({ kind: 'answered', chainId, step: index, code })
    assert.ok((await read()).includes(counter('answered', code, 1)), code)
    assert.equal([last()['code'], last()['level']], [code, 30])
  }
})

report('warns of everything that needs a person, and counts it from zero', async () => {
  const { tell, last, read } = setUp()
  for (const kind of alarmKinds) {
    assert.ok((await read()).includes(counter(kind, '', 0)), kind)
    const cause = new Error('why')
    const event = { kind, chainId, cause, hash: '0x01', relayer: '0x02', nonce: 1 }
    tell({ ...event, balanceWei: 2n ** 70n, deploysLeft: 1 } as unknown as RelayEvent)
    assert.ok((await read()).includes(counter(kind, '', 1)), kind)
    assert.is(last()['level'], 40)
    assert.match(JSON.stringify(last()['err']), /why/)
  }
})

report('writes no upstream URL, whatever an error quotes', () => {
  const { tell, lines } = setUp()
  const cause = new Error(`fetch failed: ${rpcUrl}`, { cause: new Error(rpcUrl) })
  tell({ kind: 'chain_unreachable', chainId, cause })
  tell({ kind: 'reconcile_failed', chainId, cause })
  assert.is(lines.length, 2)
  assert.not.match(lines.join(''), 'very-secret')
})

report('shows balance, spend and caps as gauges, without a line in the log', async () => {
  const { tell, lines, read } = setUp()
  const hour = { deploysThisHour: 7, spendThisHourWei: 11n, pending: 2 }
  tell({ kind: 'funds', chainId, balanceWei: 5n * 10n ** 15n, ...hour, limits })
  const shown = (await read()).filter((line) => line.startsWith('forkyard_relay_funds'))
  assert.equal(
    shown.map((line) => line.replace('forkyard_relay_funds{chain="8453",what=', '')),
    [
      '"balanceWei"} 5000000000000000',
      '"minBalanceWei"} 1000000000000000',
      '"deploysThisHour"} 7',
      '"maxDeploysPerHour"} 60',
      '"spendThisHourWei"} 11',
      '"maxSpendPerHourWei"} 20000000000000000',
      '"pending"} 2',
    ],
  )
  assert.is(lines.length, 0)
})
report.run()
