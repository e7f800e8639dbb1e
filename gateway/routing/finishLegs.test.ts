import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { finishLegs } from './finishLegs.ts'
import type { QuoteParameters } from './quoteRequest.ts'
import {
  createTrustedStand,
  giving,
  type PoolName,
  type TrustedStandOptions,
  watchTrials,
} from './testing/trustedStand.ts'
import type { Choice } from './trust/trust.ts'

const s = suite('legs that hold')
type Names = readonly (PoolName | undefined)[]

const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })

type Asked = TrustedStandOptions & {
  readonly all: Names
  readonly known?: Names | undefined
  readonly without?: readonly Names[] | undefined
  readonly own?: Partial<QuoteParameters> | undefined
}

async function finish({ all, known = [], without = [], own, ...stand }: Asked) {
  const { deps, plan, tried, nameOf, idOf } = createTrustedStand(generated, stand)
  const asked: Choice[] = []
  const left = [...without]
  const quotes = await finishLegs(deps, {
    async plan(choice) {
      asked.push(choice)
      const found = { all, known, without: choice.kind === 'without' ? (left.shift() ?? []) : [] }
      return all.map((_, leg) => {
        const name = found[choice.kind][leg]
        return name && plan(name, own)
      })
    },
  })
  return {
    pools: quotes.map(nameOf),
    readiness: quotes.map((quote) => quote?.readiness),
    asked,
    tried: tried(),
    idOf,
  }
}

s('need nothing where nobody unknown has a say [teeth/trusted-legs]', async () => {
  const found = await finish({ all: ['known', undefined, 'poor'], hasSimulator: false })
  assert.equal(found.pools, ['known', undefined, 'poor'])
  assert.equal([found.asked, found.tried], [[{ kind: 'all' }], []])
})
s(
  'take the known pools for all where those are as good together [teeth/trusted-legs]',
  async () => {
    const found = await finish({ all: ['poor', 'strange'], known: ['known', 'known'] })
    assert.equal([found.pools, found.tried], [['known', 'known'], []])
    const less = await finish({ all: ['poor', 'strange'], known: ['poor', 'known'] })
    assert.equal([less.pools, less.tried], [['poor', 'strange'], ['strange']])
    const missing = await finish({ all: ['poor', 'strange'], known: ['known', undefined] })
    assert.equal(missing.pools, ['poor', 'strange'])
  },
)
s('are all planned again where one of them fell [teeth/trusted-legs]', async () => {
  const found = await finish({
    all: ['known', 'strange'],
    known: ['poor', 'poor'],
    without: [
      ['poor', 'stranger'],
      ['known', 'known'],
    ],
    failing: ['strange', 'stranger'],
  })
  assert.equal(found.pools, ['known', 'known'])
  const [one, other] = [found.idOf('strange'), found.idOf('stranger')]
  assert.equal(found.asked, [
    { kind: 'all' },
    { kind: 'known' },
    { kind: 'without', ids: [one] },
    { kind: 'without', ids: [one, other] },
  ])
})
s(
  'go through known pools where a leg would be lost, and those alone [teeth/trusted-legs]',
  async () => {
    const found = await finish({
      all: ['known', 'strange'],
      known: ['poor', undefined],
      without: [['known', undefined]],
      failing: ['strange'],
    })
    assert.equal(found.pools, ['poor', undefined])
    // Who asked for a dry run is told of what fell.
    const told = await finish({
      all: ['known', 'strange'],
      known: ['poor', undefined],
      without: [['known', undefined]],
      failing: ['strange'],
      own: { verify: true },
    })
    assert.equal(
      [...told.pools, ...told.readiness],
      ['poor', 'strange', 'verified', 'custody_invalid'],
    )
  },
)
s('are told as they fell where no stranger is to blame [teeth/trusted-legs]', async () => {
  const found = await finish({ all: ['known', 'poor'], failing: ['known'], own: { verify: true } })
  assert.equal(found.pools, ['known', 'poor'])
  assert.equal(found.readiness, ['custody_invalid', 'verified'])
  assert.equal(found.asked, [{ kind: 'all' }])
})
s('end after three searches in vain [teeth/trusted-legs]', async () => {
  const again: Names = ['known', 'strange']
  const found = await finish({
    all: again,
    known: ['poor', 'poor'],
    without: [again, again, again, ['known', 'known']],
    failing: ['strange'],
  })
  assert.equal(found.pools, ['poor', 'poor'])
  assert.is(found.asked.filter(({ kind }) => kind === 'without').length, 3)
})
s('go through known pools where nobody makes dry runs in time [teeth/trusted-legs]', async () => {
  const legs = { all: ['known', 'strange'], known: ['known', 'known'] } as const
  for (const stand of [{ hasSimulator: false }, { isSlow: true, patienceMs: 1 }]) {
    const found = await finish({ ...legs, ...stand })
    assert.equal([found.pools, found.asked.length], [['known', 'known'], 2])
  }
})

const sold = 10n ** 18n
s(
  'stand back behind known pools for a basis point in all, and no more [teeth/trusted-legs]',
  async () => {
    const through = async (known: bigint) => {
      const given: Partial<Record<PoolName, bigint>> = { strange: sold, poor: sold, known }
      const change = giving(sold, given)
      const legs = {
        all: ['poor', undefined, 'strange'],
        known: ['poor', undefined, 'known'],
      } as const
      return (await finish({ ...legs, change, patienceMs: 60_000 })).pools
    }
    // Of two that bring as much, of which one is known.
    const least = sold - (2n * sold) / 10_000n
    assert.equal(await through(least), ['poor', undefined, 'known'])
    assert.equal(await through(least - 1n), ['poor', undefined, 'strange'])
  },
)

/** How the trial of legs is made, and whether it holds. */
async function watchTrial(all: Names, known: Names, options: TrustedStandOptions = {}) {
  const { deps, plan, idOf } = createTrustedStand(generated, options)
  const { seen, watch } = watchTrials()
  const planOf = (name: PoolName | undefined) => name && watch(plan(name))
  await finishLegs(
    { ...deps, now: () => 0 },
    {
      plan: async ({ kind }) =>
        kind === 'without' ? [] : (kind === 'all' ? all : known).map(planOf),
    },
  )
  const nameOf = (id: string) => (id === idOf('strange') ? 'strange' : 'stranger')
  return seen.map(({ ids, ...trial }) => ({ ...trial, names: ids.map(nameOf) }))
}
s('are tried together, by whether all of them have another way [teeth/trusted-legs]', async () => {
  const patience = { patienceMs: 40_000 }
  const all = ['strange', 'known', 'strange', undefined] as const
  const trial = { names: ['strange'], isAlone: false, waitMs: 40_000, holds: true }
  assert.equal(await watchTrial(all, ['poor', 'poor', 'poor', undefined], patience), [trial])
  assert.equal(await watchTrial(all, ['poor', undefined, 'poor'], patience), [
    { ...trial, isAlone: true, waitMs: 480_000 },
  ])
  const fallen = await watchTrial(['strange', 'stranger'], [], { failing: ['stranger'] })
  assert.equal(fallen, [
    { names: ['strange', 'stranger'], isAlone: true, waitMs: 3_000, holds: false },
  ])
})

s.run()
