import { getAddress, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createAudit } from './audit.ts'

const s = suite('rounds in which pools are read anew')
const minuteMs = 60_000
const poolOf = (n: number): PoolRecord => {
  const id = numberToHex(n + 1, { size: 20 })
  const head = { id, address: getAddress(id), dex: 'x', protocol: 'uniswap_v2' } as const
  const rest = { tokens: [], feePips: 3_000, changedBlock: 1n, isFresh: [], swapsSeen: 0 }
  return { ...head, ...rest, reserve0: BigInt(n), reserve1: 1n }
}
const toMap = (records: readonly PoolRecord[]) => new Map(records.map((each) => [each.id, each]))

/** An hour of looks every two seconds; when each pool was read, and the most in one look. */
function runHour(records: readonly PoolRecord[]) {
  const clock = { ms: 0 }
  // The deepest come last.
  const audit = createAudit({ sortByDepth: (all) => all.toReversed(), now: () => clock.ms })
  const readAtMs = new Map(records.map(({ id }) => [id, [0]]))
  let most = 0
  for (; clock.ms <= 60 * minuteMs; clock.ms += 2_000) {
    const picked = audit.pick(toMap(records))
    most = Math.max(most, picked.length)
    for (const { id } of picked) readAtMs.get(id)?.push(clock.ms)
    audit.done(picked, 0)
  }
  const longestMs = ({ id }: PoolRecord) => {
    const times = [...(readAtMs.get(id) ?? []), 60 * minuteMs]
    return Math.max(...times.slice(1).map((ms, index) => ms - (times[index] ?? 0)))
  }
  return { most, longestMs, status: audit.status() }
}

for (const count of [3, 120, 2_000])
  s(`reach each of ${count} within 30 minutes, deep ones within 5 [nodes/audit]`, () => {
    const records = Array.from({ length: count }, (_, n) => poolOf(n))
    const { most, longestMs, status } = runHour(records)
    for (const record of records) assert.ok(longestMs(record) <= 30 * minuteMs)
    for (const record of records.slice(-50)) assert.ok(longestMs(record) <= 5 * minuteMs)
    // No look takes more than its part.
    assert.ok(most <= Math.ceil(count / 25) + Math.ceil(50 / 4), `${most} at once`)
    assert.is(status.healed, 0)
  })

s(
  'reach pools whose ticks follow events, whoever prices them, and no samples [nodes/audit-quoted]',
  () => {
    const clock = { ms: 0 }
    const audit = createAudit({ sortByDepth: () => [], now: () => clock.ms })
    const protocols = ['uniswap_v4', 'camelot_v3', 'woofi'] as const
    const quoted = protocols.map((protocol, n) => ({
      ...poolOf(n),
      protocol,
      quoter: getAddress(numberToHex(9, { size: 20 })),
    })) as unknown as readonly PoolRecord[]
    const picked = [1, 2, 3].flatMap(() => {
      clock.ms += minuteMs
      const records = audit.pick(toMap(quoted))
      audit.done(records, 0)
      return records.map(({ protocol }) => protocol)
    })
    assert.equal([...new Set(picked)].sort(), ['camelot_v3', 'uniswap_v4'])
  },
)

s('begin with those whose reading failed, and count what has just come as read', () => {
  const clock = { ms: 0 }
  const audit = createAudit({ sortByDepth: () => [], now: () => clock.ms })
  const old = Array.from({ length: 10 }, (_, n) => poolOf(n))
  const step = (records: readonly PoolRecord[]) => {
    clock.ms += minuteMs
    return audit.pick(toMap(records)).map(({ id }) => id)
  }
  const first = step(old)
  assert.is(first.length, 1)
  const [newest] = [poolOf(11)]
  assert.equal(step([newest, ...old]), first)
  audit.done([poolOf(0)], 1)
  assert.not.equal(step([newest, ...old]), [newest.id])
  assert.equal(audit.status(), { audited: 1, healed: 1 })
})
s.run()
