import { makeQuote, makeRequest } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Entry } from './fanOut.ts'
import {
  fail,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from './provider/source.ts'
import type { SimulationStatus } from './simulateQuotes.ts'
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

/** One request with these answers; the quote of `best` wins, those of `fallen` do not stand up to a dry run. */
function answer(
  worth: Worth,
  outcomes: Readonly<Record<string, SourceOutcome>>,
  {
    best = 'fast',
    fallen = '',
    status = 'reverted',
    others = 'success',
    asked = request,
    caller = 'me',
    isSimulated = false,
  }: {
    best?: string
    fallen?: string
    status?: SimulationStatus
    others?: SimulationStatus
    asked?: SourceRequest
    caller?: string
    isSimulated?: boolean
  } = {},
) {
  const waits = worth.of({ request: asked, caller, isSimulated })
  const entries = Object.entries(outcomes).map(([name, outcome]) => entry(name, outcome))
  const quotes = entries.flatMap((each) =>
    each.outcome.status === 'quote'
      ? {
          entry: each,
          quote: each.outcome.quote,
          simulation: { status: each.provider === fallen ? status : others } as const,
        }
      : [],
  )
  const won = quotes.find(({ quote }) => quote.provider === best)?.quote
  waits.note({ entries, ranked: { quotes, best: won } })
}
const isHasty = (worth: Worth, source: string, asked = request, caller = 'me') =>
  worth.of({ request: asked, caller }).has(source)
/** Lets the answer of a source that was left behind arrive. */
async function hearLate(
  worth: Worth,
  outcomes: Readonly<Record<string, SourceOutcome>>,
  asked = request,
  isSimulated = false,
) {
  const waits = worth.of({ request: asked, caller: 'me', isSimulated })
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

const silence = { fast: offer('fast', 1_000n), slow: silent }
const heardOf = { fast: offer('fast', 1_000n), slow: fail('no_route') }
/** Asserts that the pause from now on is so long, and lets it pass. */
function passPause(worth: Worth, lengthMs: number) {
  nowMs += lengthMs - 1
  assert.ok(isHasty(worth, 'slow'), `${lengthMs} ms`)
  nowMs += 1
  assert.not.ok(isHasty(worth, 'slow'), `${lengthMs} ms`)
}

s('waits for one that answers again, after a pause that grows [strangers/meta-back]', async () => {
  const worth = open()
  const lengthsMs = [10, 20, 40, 80, 160, 320, 600, 600].map((secs) => secs * 1_000)
  for (const lengthMs of lengthsMs) {
    answer(worth, silence)
    nowMs += 3_600_000
    assert.ok(isHasty(worth, 'slow'), 'time alone says nothing')
    nowMs -= 3_600_000
    await hearLate(worth, heardOf)
    passPause(worth, lengthMs)
  }
})
s('halves the pause with each answer that comes after it [teeth/forgiven]', () => {
  const worth = open()
  const pauseBy = (lengthMs: number) => {
    answer(worth, silence)
    answer(worth, heardOf)
    passPause(worth, lengthMs)
  }
  pauseBy(10_000)
  answer(worth, silence)
  // What it answers meanwhile makes it no shorter.
  for (let n = 0; n < 3; n += 1) answer(worth, heardOf)
  passPause(worth, 20_000)
  answer(worth, heardOf)
  pauseBy(20_000)
  for (let n = 0; n < 2; n += 1) answer(worth, heardOf)
  pauseBy(10_000)
  // Who answers long after its silence is heard again, no more.
  answer(worth, silence)
  nowMs += 3_600_000
  answer(worth, heardOf)
  assert.not.ok(isHasty(worth, 'slow'))
  pauseBy(40_000)
})
s('calls nobody silent who says why it has no quote [teeth/refusals]', () => {
  for (const reason of ['rate_limited', 'circuit_open', 'upstream_error'] as const) {
    const worth = open()
    answer(worth, { ...silence, slow: fail(reason) })
    assert.not.ok(isHasty(worth, 'slow'), reason)
  }
})

s(
  'begins no second wait for one that is far later than ever, while somebody waits [strangers/meta-overdue]',
  () => {
    const worth = open()
    nowMs = 5_000
    const ask = () => {
      const waits = worth.of({ request, caller: 'me' })
      // It had to wait for its turn.
      nowMs += 1_000
      for (const name of ['fast', 'slow']) waits.has(name)
      return waits
    }
    const isHastyAfter = (ms: number, ...of: [source?: string, caller?: string]) => {
      const [source = 'slow', caller = 'me'] = of
      nowMs += ms
      const answered = isHasty(worth, source, request, caller)
      nowMs -= ms
      return answered
    }
    const earlier = ask()
    earlier.arrived({ ...entry('slow', fail('no_route')), elapsedMs: 50 })
    earlier.close()
    const [sooner, waits] = [ask(), ask()]
    sooner.close()
    assert.not.ok(isHastyAfter(1_000), 'without a quote it is right to wait')
    waits.arrived(entry('fast', offer('fast', 1_000n)))
    assert.ok(isHastyAfter(1_000))
    nowMs += 1_000
    assert.ok(worth.of({ request, caller: 'me' }).isSilent('slow'))
    nowMs -= 1_000
    assert.not.ok(isHastyAfter(1_000, 'fast'))
    assert.not.ok(isHastyAfter(1_000, 'slow', 'another'))
    assert.not.ok(isHastyAfter(200), 'four times as long as before is not far later')
    assert.ok(isHastyAfter(201))
    waits.arrived(entry('slow', offer('slow', 1_000n)))
    assert.not.ok(isHastyAfter(1_000), 'it answers')
    const last = ask()
    last.arrived(entry('fast', offer('fast', 1_000n)))
    last.close()
    assert.not.ok(isHastyAfter(60_000), 'nobody waits')
  },
)
s(
  'goes by the slowest answer of late, which fades, and a tenth of a second [teeth/overdue]',
  () => {
    for (const [tookMs, usualMs] of [
      [[3], 100],
      [[50, 3], 180],
      [[1_000, ...new Array<number>(50).fill(3)], 100],
    ] as const) {
      nowMs = 0
      const worth = open()
      const ask = () => {
        const waits = worth.of({ request, caller: 'me' })
        waits.has('quick')
        return waits
      }
      for (const elapsedMs of tookMs)
        ask().arrived({ ...entry('quick', offer('quick', 1n)), elapsedMs })
      ask().arrived(entry('fast', offer('fast', 1_000n)))
      nowMs = usualMs
      assert.not.ok(isHasty(worth, 'quick'), `${usualMs} ms`)
      nowMs += 1
      assert.ok(isHasty(worth, 'quick'), `${usualMs} ms`)
    }
  },
)

const usualMs = (worth: Worth, source: string, asked = request, caller = 'me') =>
  worth.of({ request: asked, caller }).usualMs(source)
/** One request that `source` answers, after so long. */
function takes(
  worth: Worth,
  source: string,
  elapsedMs: number,
  outcome: SourceOutcome = lost.fast,
) {
  const waits = worth.of({ request, caller: 'me' })
  waits.has(source)
  waits.arrived({ ...entry(source, outcome), elapsedMs })
  waits.close()
}

s(
  'waits four times as long as a source took of late for such a question of the caller [strangers/meta-usual-ms]',
  () => {
    const worth = open()
    assert.is(usualMs(worth, 'quick'), undefined)
    const noLook = ['circuit_open', 'unsupported_token', 'not_configured'] as const
    for (const outcome of [silent, ...noLook.map((reason) => fail(reason))])
      takes(worth, 'quick', 900, outcome)
    assert.is(usualMs(worth, 'quick'), undefined, 'nothing of these tells how long it looks')
    takes(worth, 'quick', 200)
    assert.is(usualMs(worth, 'quick'), 800)
    const more = makeRequest({ trade: { type: 'exactInput', amountIn: 9_000_000n } })
    assert.equal(
      [
        usualMs(worth, 'quick', more),
        usualMs(worth, 'quick', request, 'another'),
        usualMs(worth, 'other'),
      ],
      [undefined, undefined, undefined],
    )
    takes(worth, 'routing', 200)
    assert.is(usualMs(worth, 'routing'), undefined, 'all are measured by it')
    takes(worth, 'quick', 50, fail('no_route'))
    assert.is(usualMs(worth, 'quick'), 720)
    for (let n = 0; n < 30; n += 1) takes(worth, 'quick', 3)
    assert.is(usualMs(worth, 'quick'), 100)
  },
)
s(
  'waits for one that was cut no longer than for the others until it answers, and then as long as it takes now [strangers/meta-usual-cut]',
  () => {
    const cut = (worth: Worth) => {
      takes(worth, 'slow', 50)
      const waits = worth.of({ request, caller: 'me' })
      waits.has('slow')
      const tell = waits.leave('slow')
      waits.arrived({ ...entry('slow', silent), elapsedMs: 200, isLeftBehind: true })
      waits.note({
        entries: [
          entry('fast', lost.fast),
          { ...entry('slow', silent), elapsedMs: 200, isLeftBehind: true },
        ],
        ranked: { quotes: [], best: makeQuote({ provider: 'fast' }) },
      })
      waits.close()
      assert.ok(isHasty(worth, 'slow'))
      assert.not.ok(isHasty(worth, 'slow', request, 'another'))
      return (outcome: SourceOutcome, elapsedMs: number) =>
        tell?.({ ...entry('slow', outcome), elapsedMs })
    }
    const late = open()
    cut(late)(fail('no_route'), 400)
    assert.not.ok(isHasty(late, 'slow'))
    assert.is(usualMs(late, 'slow'), 1_600)
    const never = open()
    cut(never)(silent, 1_500)
    assert.ok(isHasty(never, 'slow'))
    assert.is(usualMs(never, 'slow'), 200)
    const refused = open()
    cut(refused)(fail('upstream_error'), 300)
    assert.not.ok(isHasty(refused, 'slow'), 'it has not kept silent')
    assert.is(usualMs(refused, 'slow'), 200)
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

s('takes amounts of the same power of two for the same sale [teeth/sales]', () => {
  const worth = open()
  const selling = (amountIn: bigint) => makeRequest({ trade: { type: 'exactInput', amountIn } })
  for (let n = 0; n < 32; n++) answer(worth, lost, { asked: selling(600_000n) })
  assert.equal(
    [524_287n, 524_288n, 1_048_575n, 1_048_576n].map((amount) =>
      isHasty(worth, 'slow', selling(amount)),
    ),
    [false, true, true, false],
  )
})
s('counts for all whose quote is no better than the best, either way [teeth/no-better]', () => {
  const exactOutput = makeRequest({ trade: { type: 'exactOutput', targetOut: 1n, maxIn: 9n } })
  const taking = (provider: string, amountIn: bigint): SourceOutcome => ({
    status: 'quote',
    quote: makeQuote({ provider, amountIn, amountOut: 1n }),
  })
  for (const [asked, outcomes, isOfAll] of [
    [request, { fast: offer('fast', 1_000n), slow: offer('slow', 1_000n) }, true],
    [request, { fast: offer('fast', 1_000n), slow: offer('slow', 1_001n) }, false],
    [exactOutput, { fast: taking('fast', 8n), slow: taking('slow', 8n) }, true],
    [exactOutput, { fast: taking('fast', 8n), slow: taking('slow', 9n) }, true],
    [exactOutput, { fast: taking('fast', 8n), slow: taking('slow', 7n) }, false],
  ] as const) {
    const worth = open()
    for (let n = 0; n < 32; n++) answer(worth, outcomes, { asked })
    assert.ok(isHasty(worth, 'slow', asked))
    assert.is(isHasty(worth, 'slow', asked, 'another'), isOfAll)
  }
})
s(
  'takes nobody for better who promises more and binds himself to no more [17/padded-promises]',
  async () => {
    const trade = { type: 'exactOutput', targetOut: 1n, maxIn: 10n ** 20n } as const
    const by = (provider: string, quote: Partial<SourceQuote>): SourceOutcome => ({
      status: 'quote',
      quote: makeQuote({ provider, ...quote }),
    })
    type Case = Readonly<Record<'firm' | 'padded' | 'better', Partial<SourceQuote>>>
    const cases: readonly (Case & { readonly asked: SourceRequest })[] = [
      {
        asked: makeRequest({ trade }),
        firm: { amountIn: 100_000n, maxAmountIn: 100_500n },
        padded: { amountIn: 99_900n, maxAmountIn: 101_398n },
        better: { amountIn: 99_999n },
      },
      {
        asked: request,
        firm: { amountOut: 10_050n },
        padded: { amountOut: 10_100n, minAmountOut: 9_949n },
        better: { amountOut: 10_051n },
      },
    ]
    for (const { asked, firm, padded, better } of cases) {
      const worth = open()
      const [fast, slow] = [by('fast', firm), by('slow', padded)]
      for (let n = 0; n < 32; n++) answer(worth, { fast, slow }, { asked })
      assert.ok(isHasty(worth, 'slow', asked))
      assert.not.ok(isHasty(worth, 'slow', asked, 'another'), 'slippage is of the question')
      await hearLate(worth, { fast, slow }, asked)
      assert.ok(isHasty(worth, 'slow', asked), 'it would not have won')
      await hearLate(worth, { fast, slow: by('slow', better) }, asked)
      assert.not.ok(isHasty(worth, 'slow', asked))
    }
  },
)
s(
  'gives whoever promises more a chance where a dry run tells, whatever he binds himself to [17/late-promises]',
  async () => {
    const quote = makeQuote({ provider: 'slow', amountOut: 10_100n, minAmountOut: 9_949n })
    const answers = { fast: offer('fast', 10_050n), slow: { status: 'quote', quote } } as const
    for (const isSimulated of [true, false]) {
      const worth = open()
      const isWaitedFor = () => !worth.of({ request, caller: 'me', isSimulated }).has('slow')
      for (let n = 0; n < 32; n++) answer(worth, answers, { isSimulated })
      assert.not.ok(isWaitedFor())
      await hearLate(worth, answers, request, isSimulated)
      assert.is(isWaitedFor(), isSimulated)
    }
  },
)
s('takes a win for half of the losses that it takes, and saves none up [teeth/wins]', () => {
  const worth = open()
  answer(worth, lost, { best: 'slow' })
  for (const losses of [32, 16]) {
    for (let n = 1; n < losses; n++) answer(worth, lost)
    assert.not.ok(isHasty(worth, 'slow'))
    answer(worth, lost)
    assert.ok(isHasty(worth, 'slow'))
    answer(worth, lost, { best: 'slow' })
    assert.not.ok(isHasty(worth, 'slow'))
  }
})
s('waits for who is best now and then [strangers/meta-sometimes]', () => {
  const worth = open()
  for (let n = 0; n < 200; n++) answer(worth, lost, { best: n % 15 === 0 ? 'slow' : 'fast' })
  assert.not.ok(isHasty(worth, 'slow'))
})

s(
  'gives who would have been better another chance, now and then [strangers/meta-chance]',
  async () => {
    const worth = open()
    for (let n = 0; n < 32; n++) answer(worth, lost)
    await hearLate(worth, lost)
    assert.ok(isHasty(worth, 'slow'), 'it was not better')
    const better = { fast: offer('fast', 1_000n), slow: offer('slow', 1_001n) }
    await hearLate(worth, better)
    assert.not.ok(isHasty(worth, 'slow'))
    answer(worth, lost)
    assert.ok(isHasty(worth, 'slow'), 'one chance')
    await hearLate(worth, better)
    nowMs += 29_999
    await hearLate(worth, better)
    assert.ok(isHasty(worth, 'slow'), 'too soon')
    nowMs += 1
    await hearLate(worth, better)
    assert.not.ok(isHasty(worth, 'slow'))
    // One loss less than those that it takes.
    answer(worth, lost, { best: 'slow' })
    for (let n = 0; n < 16; n++) answer(worth, lost)
    assert.not.ok(isHasty(worth, 'slow'))
    answer(worth, lost)
    assert.ok(isHasty(worth, 'slow'))
  },
)

s('counts promises that fell for whoever asked alone [strangers/meta-fell]', async () => {
  const worth = open()
  const lure = { fast: offer('fast', 1_000n), slow: offer('slow', 9_000n) }
  const fall = () => answer(worth, lure, { fallen: 'slow' })
  for (let n = 0; n < 31; n++) fall()
  assert.not.ok(isHasty(worth, 'slow'))
  fall()
  assert.ok(isHasty(worth, 'slow'))
  assert.not.ok(isHasty(worth, 'slow', request, 'another'))
  await hearLate(worth, lure)
  assert.not.ok(isHasty(worth, 'slow'), 'it may be true this time')
  fall()
  assert.ok(isHasty(worth, 'slow'))
})

s('counts promises that nobody proves for whoever asked alone [17/unproved-promises]', () => {
  const lure = { fast: offer('fast', 1_000n), slow: offer('slow', 9_000n) }
  for (const status of ['disabled', 'notConfigured', 'rpcError', 'slotNotFound'] as const) {
    const worth = open()
    for (let n = 0; n < 31; n++) answer(worth, lure, { fallen: 'slow', status })
    assert.not.ok(isHasty(worth, 'slow'), status)
    answer(worth, lure, { fallen: 'slow', status })
    assert.ok(isHasty(worth, 'slow'), status)
    assert.not.ok(isHasty(worth, 'slow', request, 'another'), status)
  }
})

s(
  'what falls where nothing is dry-run says nothing of where it is, and back [17/dry-runs-apart]',
  () => {
    const lure = { fast: offer('fast', 1_000n), slow: offer('slow', 9_000n) }
    for (const isSimulated of [false, true]) {
      const worth = open()
      const status = isSimulated ? 'reverted' : 'disabled'
      for (let n = 0; n < 32; n++) answer(worth, lure, { fallen: 'slow', status, isSimulated })
      const found = [isSimulated, !isSimulated].map((asked) =>
        worth.of({ request, caller: 'me', isSimulated: asked }).has('slow'),
      )
      assert.equal(found, [true, false])
    }
  },
)

s('nor does what falls while dry runs are asked for and not to be had [17/dry-runs-had]', () => {
  const lure = { fast: offer('fast', 1_000n), slow: offer('slow', 9_000n) }
  const isWaitedFor = (worth: Worth) =>
    !worth.of({ request, caller: 'me', isSimulated: true }).has('slow')
  for (const [before, after] of [
    ['rpcError', 'success'],
    ['success', 'rpcError'],
  ] as const) {
    const worth = open()
    for (let n = 0; n < 32; n++)
      answer(worth, lure, { fallen: 'slow', status: 'rpcError', others: before, isSimulated: true })
    assert.not.ok(isWaitedFor(worth), before)
    // The next answer tells.
    answer(worth, { fast: lure.fast }, { others: after, isSimulated: true })
    assert.ok(isWaitedFor(worth), after)
    answer(worth, { fast: lure.fast }, { others: before, isSimulated: true })
    assert.not.ok(isWaitedFor(worth), before)
    // Nobody's quote tells nothing.
    answer(worth, { fast: silent }, { isSimulated: true })
    assert.not.ok(isWaitedFor(worth), before)
  }
})

s('counts who looks and has nothing for whoever asked alone [17/nothing-to-offer]', () => {
  const answers = (slow: SourceOutcome, fast: SourceOutcome = lost.fast) => {
    const worth = open()
    for (let n = 0; n < 31; n++) answer(worth, { fast, slow })
    assert.not.ok(isHasty(worth, 'slow'))
    answer(worth, { fast, slow })
    assert.not.ok(isHasty(worth, 'slow', request, 'another'))
    return isHasty(worth, 'slow')
  }
  for (const reason of ['no_route', 'calldata_mismatch', 'target_not_allowed'] as const)
    assert.ok(answers(fail(reason)), reason)
  assert.not.ok(answers(fail('unsupported_token')), 'it never looks')
  assert.not.ok(answers(fail('upstream_error')), 'it may have something next time')
  assert.not.ok(answers(fail('no_route'), fail('no_route')), 'nobody has anything')
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
