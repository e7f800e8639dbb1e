import { makeQuote, makeRequest } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Entry } from './fanOut.ts'
import { fail, type SourceOutcome, type SourceRequest } from './provider/source.ts'
import { createSourceWorth } from './sourceWorth.ts'

const s = suite('meta/sourceWorth')
const request = makeRequest()
let nowMs = 0
s.before.each(() => {
  nowMs = 0
})
const open = () => createSourceWorth({ now: () => nowMs, always: ['routing'] })
type Worth = ReturnType<typeof open>

const entry = (provider: string, outcome: SourceOutcome): Entry => ({
  provider,
  outcome,
  attempts: 1,
  elapsedMs: 10,
  receivedAtMs: nowMs,
})
const silent = fail('timeout', 'no answer within 1500 ms')
const offer = (provider: string, amountOut: bigint): SourceOutcome => ({
  status: 'quote',
  quote: makeQuote({ provider, amountOut }),
})

/** One request with these answers; the quote of `best` wins, those of `reverted` fall in their dry run. */
function answer(
  worth: Worth,
  outcomes: Readonly<Record<string, SourceOutcome>>,
  {
    best = 'fast',
    reverted = '',
    asked = request,
    caller = 'me',
  }: { best?: string; reverted?: string; asked?: SourceRequest; caller?: string } = {},
) {
  const waits = worth.of({ request: asked, caller })
  const entries = Object.entries(outcomes).map(([name, outcome]) => entry(name, outcome))
  const quotes = entries.flatMap((each) =>
    each.outcome.status === 'quote'
      ? {
          entry: each,
          quote: each.outcome.quote,
          simulation: { status: each.provider === reverted ? 'reverted' : 'success' } as const,
        }
      : [],
  )
  const won = quotes.find(({ quote }) => quote.provider === best)?.quote
  waits.note({ entries, ranked: { quotes, best: won } })
}
const isHasty = (worth: Worth, source: string, asked = request, caller = 'me') =>
  worth.of({ request: asked, caller }).has(source)
/** Lets the answer of a source that was left behind arrive. */
async function hearLate(worth: Worth, outcomes: Readonly<Record<string, SourceOutcome>>) {
  const waits = worth.of({ request, caller: 'me' })
  const tell = waits.leave('slow')
  const [fast, slow] = [outcomes['fast'] ?? silent, outcomes['slow'] ?? silent]
  tell?.(entry('slow', slow))
  const quotes =
    fast.status === 'quote'
      ? [
          {
            entry: entry('fast', fast),
            quote: fast.quote,
            simulation: { status: 'success' } as const,
          },
        ]
      : []
  waits.note({
    entries: [entry('fast', fast), { ...entry('slow', silent), isLeftBehind: true }],
    ranked: { quotes, best: quotes[0]?.quote },
  })
  // What is told is counted a turn later.
  await new Promise(setImmediate)
  return tell !== undefined
}
const lost = { fast: offer('fast', 1_000n), slow: offer('slow', 999n) }

s('has a caller wait in vain once, and nobody else [strangers/meta-silent]', async () => {
  const worth = open()
  answer(worth, { fast: offer('fast', 1_000n), slow: silent })
  assert.ok(isHasty(worth, 'slow'))
  assert.not.ok(isHasty(worth, 'slow', request, 'another'))
  assert.not.ok(isHasty(worth, 'fast'))
})

s('waits for one that answers again, after a pause that grows [strangers/meta-back]', async () => {
  const worth = open()
  const silence = { fast: offer('fast', 1_000n), slow: silent }
  const lengths: number[] = []
  for (let round = 0; round < 3; round++) {
    answer(worth, silence)
    nowMs += 3_600_000
    assert.ok(isHasty(worth, 'slow'), 'time alone says nothing')
    nowMs -= 3_600_000
    await hearLate(worth, { fast: offer('fast', 1_000n), slow: fail('no_route') })
    const sinceMs = nowMs
    while (isHasty(worth, 'slow')) nowMs += 1_000
    lengths.push(nowMs - sinceMs)
  }
  assert.equal(lengths, [10_000, 20_000, 40_000])
})

s(
  'begins no second wait for one that is far later than ever, while somebody waits [strangers/meta-overdue]',
  () => {
    const worth = open()
    const ask = (caller = 'me') => {
      const waits = worth.of({ request, caller })
      for (const name of ['fast', 'slow']) waits.has(name)
      return waits
    }
    const earlier = ask()
    earlier.arrived({ ...entry('slow', fail('no_route')), elapsedMs: 50 })
    earlier.close()
    const waits = ask()
    nowMs = 1_000
    assert.not.ok(isHasty(worth, 'slow'), 'without a quote it is right to wait')
    waits.arrived(entry('fast', offer('fast', 1_000n)))
    assert.ok(isHasty(worth, 'slow'))
    assert.ok(worth.of({ request, caller: 'me' }).isSilent('slow'))
    assert.not.ok(isHasty(worth, 'fast'))
    assert.not.ok(isHasty(worth, 'slow', request, 'another'))
    nowMs = 200
    assert.not.ok(isHasty(worth, 'slow'), 'four times as long as before is not far later')
    nowMs = 1_000
    waits.arrived(entry('slow', offer('slow', 1_000n)))
    assert.not.ok(isHasty(worth, 'slow'), 'it answers')
    const more = ask()
    more.arrived(entry('fast', offer('fast', 1_000n)))
    more.close()
    nowMs = 60_000
    assert.not.ok(isHasty(worth, 'slow'), 'nobody waits')
  },
)

s('is heard again by an answer in time, whatever it is, and by no refusal [teeth/heard]', () => {
  for (const [outcome, isHeard] of [
    [offer('slow', 1n), true],
    [fail('no_route'), true],
    [fail('rate_limited'), false],
    [fail('circuit_open'), false],
    [fail('upstream_error'), false],
  ] as const) {
    const worth = open()
    answer(worth, { fast: offer('fast', 1_000n), slow: silent })
    answer(worth, { fast: offer('fast', 1_000n), slow: outcome })
    nowMs += 10_000
    assert.is(isHasty(worth, 'slow'), !isHeard, JSON.stringify(outcome.status))
  }
})

s('was right to wait where nobody had a quote [strangers/meta-nobody]', () => {
  const worth = open()
  answer(worth, { fast: fail('no_route'), slow: silent })
  assert.not.ok(isHasty(worth, 'slow'))
})

s(
  'counts who was never best for such an amount of a pair [strangers/meta-never-best]',
  async () => {
    const worth = open()
    for (let n = 0; n < 31; n++) answer(worth, lost)
    assert.not.ok(isHasty(worth, 'slow'))
    answer(worth, lost)
    assert.ok(isHasty(worth, 'slow'))
    assert.ok(isHasty(worth, 'slow', request, 'another'), 'it would not win there either')
    const more = makeRequest({ trade: { type: 'exactInput', amountIn: 9_000_000n } })
    assert.not.ok(isHasty(worth, 'slow', more), 'another amount')
    const other = makeRequest({ tokenIn: request.tokenOut, tokenOut: request.tokenIn })
    assert.not.ok(isHasty(worth, 'slow', other), 'another pair')
  },
)

s('waits for who is best now and then [strangers/meta-sometimes]', () => {
  const worth = open()
  for (let n = 0; n < 200; n++) answer(worth, lost, { best: n % 15 === 0 ? 'slow' : 'fast' })
  assert.not.ok(isHasty(worth, 'slow'))
})

s(
  'gives who would have been better another chance, now and then [strangers/meta-chance]',
  async () => {
    const worth = open()
    nowMs = 1_000_000
    for (let n = 0; n < 32; n++) answer(worth, lost)
    await hearLate(worth, lost)
    assert.ok(isHasty(worth, 'slow'), 'it was not better')
    const better = { fast: offer('fast', 1_000n), slow: offer('slow', 1_001n) }
    await hearLate(worth, better)
    assert.not.ok(isHasty(worth, 'slow'))
    answer(worth, lost)
    assert.ok(isHasty(worth, 'slow'), 'one chance')
    await hearLate(worth, better)
    assert.ok(isHasty(worth, 'slow'), 'too soon')
    nowMs += 30_000
    await hearLate(worth, better)
    assert.not.ok(isHasty(worth, 'slow'))
  },
)

s('counts promises that fell for whoever asked alone [strangers/meta-fell]', () => {
  const worth = open()
  const lure = { fast: offer('fast', 1_000n), slow: offer('slow', 9_000n) }
  for (let n = 0; n < 32; n++) answer(worth, lure, { reverted: 'slow' })
  assert.ok(isHasty(worth, 'slow'))
  assert.not.ok(isHasty(worth, 'slow', request, 'another'))
})

s('always waits for who all are measured by [strangers/meta-reference]', () => {
  const worth = open()
  answer(worth, { fast: offer('fast', 1_000n), routing: silent })
  assert.not.ok(isHasty(worth, 'routing'))
})

s('leaves one call of a source behind for each caller [strangers/meta-one-left]', async () => {
  const worth = open()
  const tell = worth.of({ request }).leave('slow')
  assert.ok(tell)
  assert.is(worth.of({ request }).leave('slow'), undefined)
  assert.ok(worth.of({ request, caller: 'another' }).leave('slow'), "a stranger's takes no place")
  assert.ok(worth.of({ request }).leave('slower'))
  tell?.(entry('slow', silent))
  assert.ok(worth.of({ request }).leave('slow'))
})

s.run()
