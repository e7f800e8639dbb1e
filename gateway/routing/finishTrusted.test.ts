import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { Planned } from './finishQuote.ts'
import { createPatience, finishTrusted } from './finishTrusted.ts'
import type { QuoteDeps, QuoteParameters } from './quoteRequest.ts'
import {
  createTrustedStand,
  type PoolName,
  type TrustedStandOptions,
  watchTrials,
} from './testing/trustedStand.ts'
import type { Choice } from './trust/trust.ts'

const s = suite('quotes that hold')

const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })

type Asked = TrustedStandOptions & {
  readonly through: PoolName
  /** What a search through known pools finds, and what searches find without those that fell, in turn. */
  readonly known?: PoolName | undefined
  readonly without?: readonly (PoolName | undefined)[] | undefined
  readonly isAsGood?: boolean | undefined
  readonly own?: Partial<QuoteParameters> | undefined
}

async function finish({ through, known, without = [], isAsGood = false, own, ...stand }: Asked) {
  const { deps, plan, tried, nameOf, idOf } = createTrustedStand(generated, stand)
  const asked: Choice[] = []
  const left = [...without]
  const planOf = (name: PoolName | undefined): Planned | undefined => name && plan(name, own)
  const outcome = await finishTrusted(deps, {
    planned: plan(through, own),
    isAsGood: () => isAsGood,
    async replan(choice) {
      asked.push(choice)
      return planOf(choice.kind === 'known' ? known : left.shift())
    },
  })
  const quote = outcome.status === 'ok' ? outcome.quote : undefined
  return { outcome, quote, pool: nameOf(quote), asked, tried: tried(), idOf }
}

s('need nothing where nobody unknown has a say [teeth/trusted]', async () => {
  const { pool, quote, asked, tried } = await finish({ through: 'known', hasSimulator: false })
  assert.equal([pool, quote?.readiness, asked, tried], ['known', 'ready', [], []])
})
s('stand back behind known pools that are as good, untried [teeth/trusted]', async () => {
  const found = await finish({ through: 'strange', known: 'known', isAsGood: true })
  assert.equal([found.pool, found.quote?.readiness, found.tried], ['known', 'ready', []])
  assert.equal(found.asked, [{ kind: 'known' }])
})
s('are better through strangers once a dry run has delivered [teeth/trusted]', async () => {
  const found = await finish({ through: 'strange', known: 'known' })
  assert.equal(
    [found.pool, found.quote?.readiness, found.tried],
    ['strange', 'verified', ['strange']],
  )
  const alone = await finish({ through: 'strange' })
  assert.is(alone.pool, 'strange', 'with nothing beside it, too')
})
s(
  'are searched without each pool that fell, and known ones asked for once [teeth/trusted]',
  async () => {
    const found = await finish({
      through: 'strange',
      known: 'poor',
      without: ['stranger', 'known'],
      failing: ['strange', 'stranger'],
    })
    assert.equal([found.pool, found.tried], ['known', ['strange', 'stranger']])
    const [one, other] = [found.idOf('strange'), found.idOf('stranger')]
    assert.equal(found.asked, [
      { kind: 'known' },
      { kind: 'without', ids: [one] },
      { kind: 'without', ids: [one, other] },
    ])
  },
)
s('are those of known pools where nothing else holds [teeth/trusted]', async () => {
  const found = await finish({ through: 'strange', known: 'poor', failing: ['strange'] })
  assert.equal([found.pool, found.asked.length], ['poor', 2])
})
s('are none after three searches, unless the caller asked to be told [teeth/trusted]', async () => {
  const again = {
    through: 'strange',
    without: ['strange', 'strange', 'strange', 'known'],
    failing: ['strange'],
  } as const
  const found = await finish(again)
  assert.equal(found.outcome, { status: 'no_route' })
  assert.is(found.asked.filter(({ kind }) => kind === 'without').length, 3)
  const told = await finish({ ...again, own: { verify: true } })
  assert.equal(
    [told.pool, told.quote?.readiness, told.quote?.unexecutableReason],
    ['strange', 'custody_invalid', 'dry_run_failed'],
  )
  assert.is(told.quote?.verification?.status, 'failed')
})
s(
  'go through known pools where nobody makes dry runs, or are unavailable [teeth/trusted]',
  async () => {
    const found = await finish({ through: 'strange', known: 'known', hasSimulator: false })
    assert.equal([found.pool, found.quote?.readiness], ['known', 'ready'])
    const none = await finish({ through: 'strange', hasSimulator: false })
    assert.equal(none.outcome, {
      status: 'unavailable',
      reason: 'the only route needs a dry run',
      byItsPools: true,
    })
    assert.is(none.asked.length, 1, 'the next route could not be tried either')
  },
)
s('wait for no dry run that takes longer than their patience [teeth/trusted]', async () => {
  const slow = { through: 'strange', isSlow: true, patienceMs: 1 } as const
  assert.is((await finish({ ...slow, known: 'known' })).pool, 'known')
  const { outcome } = await finish(slow)
  assert.is(outcome.status, 'unavailable')
})
s(
  'are told as they are where a known pool falls, and only its own caller asked [teeth/trusted]',
  async () => {
    const found = await finish({ through: 'known', failing: ['known'], own: { verify: true } })
    assert.equal(
      [found.pool, found.quote?.readiness, found.asked],
      ['known', 'custody_invalid', []],
    )
  },
)

s(
  'spend a quarter of a second in all, twelve times as long with nothing beside [teeth/patience]',
  async () => {
    const clock = { ms: 5 }
    const now = () => clock.ms
    const waitsOf = async (deps: Partial<QuoteDeps>) => {
      const patience = createPatience({ now, ...deps } as QuoteDeps)
      const waits: number[] = []
      for (const [isAlone, tookMs] of [
        [false, 100],
        [false, 30],
        [true, 500],
        [false, 0],
      ] as const)
        await patience(isAlone, async (waitMs) => {
          waits.push(waitMs)
          clock.ms += tookMs
        })
      assert.is(await patience(false, async () => 7), 7)
      return waits
    }
    assert.equal(await waitsOf({}), [250, 150, 2_870, -380])
    assert.equal(await waitsOf({ patienceMs: 1_000 }), [1_000, 900, 11_870, 370])
  },
)

s('are told of as they fell where known pools fell, too [teeth/trusted]', async () => {
  const fallen = {
    through: 'strange',
    known: 'poor',
    failing: ['strange', 'poor'],
    own: { verify: true },
  } as const
  const told = await finish(fallen)
  assert.equal([told.pool, told.quote?.readiness], ['strange', 'custody_invalid'])
  // Once more it is the next that holds.
  const next = await finish({ ...fallen, without: ['known'] })
  assert.equal([next.pool, next.quote?.readiness], ['known', 'verified'])
})

/** How the trial of a route through strangers is made, and whether it holds. */
async function watchTrial({
  known,
  ...options
}: TrustedStandOptions & { readonly known?: PoolName }) {
  const { deps, plan, idOf } = createTrustedStand(generated, options)
  const { seen, watch } = watchTrials()
  await finishTrusted(
    { ...deps, now: () => 0 },
    {
      planned: watch(plan('strange')),
      isAsGood: () => false,
      replan: async ({ kind }) => (kind === 'known' && known ? plan(known) : undefined),
    },
  )
  return seen.map(({ ids, ...trial }) => ({ ...trial, isIt: ids.join() === idOf('strange') }))
}
s(
  'are tried as long as there is patience, by whether anything is beside [teeth/trusted]',
  async () => {
    const trial = { isIt: true, isAlone: true, waitMs: 3_000, holds: true }
    assert.equal(await watchTrial({ known: 'poor', patienceMs: 40_000 }), [
      { ...trial, isAlone: false, waitMs: 40_000 },
    ])
    assert.equal(await watchTrial({}), [trial])
    assert.equal(await watchTrial({ failing: ['strange'] }), [{ ...trial, holds: false }])
  },
)

s.run()
