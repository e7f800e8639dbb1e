import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import {
  type Asker,
  type Asking,
  createAskers,
  createSearchQueue,
  findShared,
  SearchRefused,
} from './searchQueue.ts'

const s = suite('the queue of searches')

/** A search that runs until it is let go. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { search: () => promise, open: resolve }
}
const isRefused = (error: unknown) => error instanceof SearchRefused
const waiting = 256

s('runs one search after the other, the chains in turns', async () => {
  const searches = createSearchQueue()
  const order: string[] = []
  const add = (chainId: number, name: string) =>
    searches(async () => void order.push(name), { chainId })
  const gate = createGate()
  const running = [searches(gate.search, { chainId: 1 })]
  for (const name of ['a1', 'a2', 'a3']) running.push(add(1, name))
  for (const name of ['b1', 'b2']) running.push(add(2, name))
  gate.open()
  await Promise.all(running)
  assert.equal(order, ['a1', 'b1', 'a2', 'b2', 'a3'])
})

s('runs as many at once as it may, and the next when one ends', async () => {
  const searches = createSearchQueue({ atOnce: 2 })
  const gates = Array.from({ length: 3 }, createGate)
  const begun: number[] = []
  const running = gates.map(({ search }, index) =>
    searches(
      () => {
        begun.push(index)
        return search()
      },
      { chainId: 1 },
    ),
  )
  assert.equal(begun, [0, 1])
  gates[1]?.open()
  await running[1]
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(begun, [0, 1, 2])
  for (const gate of gates) gate.open()
  await Promise.all(running)
  await searches.whenIdle?.()
})

s('goes round by caller: a crowd of one stands behind itself [strangers/searches]', async () => {
  const searches = createSearchQueue()
  const order: string[] = []
  const gate = createGate()
  const running = [searches(gate.search, { chainId: 1, caller: 'crowd' })]
  const add = (caller: string, name: string) =>
    running.push(searches(async () => void order.push(name), { chainId: 1, caller }))
  for (let n = 0; n < 200; n += 1) add('crowd', `crowd ${n}`)
  for (const name of ['one', 'two']) add('honest', name)
  add('other', 'three')
  gate.open()
  await Promise.all(running)
  // The crowd had a turn already.
  assert.equal(order.slice(0, 6), ['one', 'three', 'crowd 0', 'two', 'crowd 1', 'crowd 2'])
  assert.is(order.length, 203)
})

s('refuses a crowd, and nobody beside it [strangers/search-places]', async () => {
  const searches = createSearchQueue()
  const gate = createGate()
  const first = searches(gate.search, { chainId: 1, caller: 'crowd' })
  const ask = (caller: string) =>
    searches(async () => caller, { chainId: 1, caller }).catch(isRefused)
  const crowd = Array.from({ length: waiting + 5 }, () => ask('crowd'))
  const honest = ask('honest')
  gate.open()
  await first
  assert.is(await honest, 'honest')
  const answers = await Promise.all(crowd)
  assert.is(answers.filter((answer) => answer === true).length, 6)
})

s('counts the keys of one network together [strangers/search-networks]', async () => {
  const searches = createSearchQueue()
  const gate = createGate()
  const first = searches(gate.search, { chainId: 1, caller: 'running' })
  const order: string[] = []
  const ask = (caller: string, network: string) =>
    searches(async () => void order.push(caller), { chainId: 1, caller, network }).catch(isRefused)
  const crowd = Array.from({ length: waiting }, (_, n) => ask(`key ${n}`, 'crowd'))
  const honest = [ask('honest', 'other'), ask('honest', 'other'), ask('neighbour', 'crowd')]
  gate.open()
  await first
  const answers = await Promise.all([...crowd, ...honest])
  // The last of the crowd made room, each time.
  assert.is(answers.filter((answer) => answer === true).length, 3)
  assert.equal(order.slice(0, 4), ['key 0', 'honest', 'key 1', 'honest'])
  assert.ok((await Promise.all(honest)).slice(0, 2).every((answer) => answer === undefined))
})

for (const [what, from, caller] of [
  [
    'keys that roam',
    (n: number) => ({ caller: `key ${n % 2}`, network: `network ${n}` }),
    'honest',
  ],
  [
    'a site',
    (n: number) => ({ caller: `key ${n}`, network: `network ${n}`, site: 'site' }),
    'honest',
  ],
  ['a network without keys', () => ({ network: 'crowd' }), undefined],
] as const)
  s(`is filled by ${what}, and others have their turn [attack/homes]`, async () => {
    const searches = createSearchQueue()
    const gate = createGate()
    const first = searches(gate.search, { chainId: 1, caller: 'running' })
    const order: string[] = []
    const ask = (name: string, asker: Asker) =>
      searches(async () => void order.push(name), { chainId: 1, ...asker }).catch(isRefused)
    const crowd = Array.from({ length: waiting }, (_, n) => ask(`crowd ${n}`, from(n)))
    const honest = ask('honest', { caller, network: 'other' })
    gate.open()
    await first
    assert.is(await honest, undefined)
    assert.is((await Promise.all(crowd)).filter((answer) => answer === true).length, 1)
    assert.ok(order.indexOf('honest') <= 2, `${order.indexOf('honest')} came before`)
  })

s(
  'has who asks now and then wait for no round of 255 networks that always ask [strangers/search-crowd]',
  async () => {
    const clock = { ms: 0 }
    const searches = createSearchQueue({ now: () => clock.ms })
    let ran = 0
    const search = async () => {
      ran += 1
      clock.ms += 5
    }
    const ask = (network: string) =>
      searches(search, { chainId: 1, caller: network, network }).then(
        () => ran,
        () => Number.POSITIVE_INFINITY,
      )
    const stop = { at: 5_000 }
    const waits: number[] = []
    const stranger = async (name: string) => {
      while (ran < stop.at) await ask(name)
    }
    /** Three at once, again and again. */
    const honest = async () => {
      while (ran < stop.at) {
        const before = ran
        const answers = await Promise.all([ask('honest'), ask('honest'), ask('honest')])
        for (const at of answers) waits.push(at - before)
        while (ran < Math.min(before + 1_000, stop.at)) await ask('stranger 0')
      }
    }
    const names = Array.from({ length: 255 }, (_, n) => `stranger ${n}`)
    await Promise.all([...names.map(stranger), honest()])
    // The first ones were asked before anybody had had a turn.
    const later = waits.slice(3)
    assert.ok(later.length >= 12, `${later.length} searches`)
    assert.ok(Math.max(...later) <= 4, `${Math.max(...later)} searches came before`)
  },
)

s('keeps no paying key behind a crowd of free ones [strangers/search-paying]', async () => {
  const searches = createSearchQueue()
  const gate = createGate()
  const first = searches(gate.search, { chainId: 1, caller: 'running' })
  const order: string[] = []
  const ask = (caller: string, isPaying: boolean) =>
    searches(async () => void order.push(caller), { chainId: 1, caller, isPaying }).catch(isRefused)
  const crowd = Array.from({ length: waiting }, (_, n) => ask(`free ${n}`, false))
  const paying = [ask('paying', true), ask('paying', true), ask('paying', true)]
  gate.open()
  await first
  assert.equal(await Promise.all(paying), [undefined, undefined, undefined])
  assert.is((await Promise.all(crowd)).filter((answer) => answer === true).length, 3)
  assert.equal(order.slice(0, 4), ['free 0', 'paying', 'free 1', 'paying'])
})

s(
  'has no free key pay for the turns of a paying one at its network [strangers/search-kinds]',
  async () => {
    const searches = createSearchQueue({ now: () => 0 })
    const order: string[] = []
    const ask = (caller: string, network: string, isPaying = false) =>
      searches(async () => void order.push(caller), { chainId: 1, caller, network, isPaying })
    for (let turn = 0; turn < 20; turn += 1) await ask('paying', 'home', true)
    const gate = createGate()
    const first = searches(gate.search, { chainId: 1, caller: 'running' })
    const crowd = Array.from({ length: 3 }, (_, n) => ask(`stranger ${n}`, 'crowd'))
    const free = ask('free', 'home')
    gate.open()
    await Promise.all([first, ...crowd, free])
    assert.is(order.slice(20).indexOf('free'), 1)
  },
)

s('compares sites by one look at the clock [attack/search-clock]', async () => {
  const clock = { ms: 0, stepMs: 1 }
  const searches = createSearchQueue({
    now() {
      clock.ms += clock.stepMs
      return clock.ms
    },
  })
  const begun: string[] = []
  const ask = (caller: string) =>
    searches(async () => void begun.push(caller), { chainId: 1, caller })
  const sites = Array.from({ length: 5 }, (_, n) => `site ${n}`)
  await Promise.all(sites.map(ask))
  begun.length = 0
  // Whose turn was longest ago, though more time passes while they are looked at.
  clock.stepMs = 10
  await Promise.all(['blocking', ...sites].map(ask))
  assert.equal(begun, ['blocking', ...sites])
})
s('goes on after a search that failed', async () => {
  const searches = createSearchQueue()
  const bad = searches(() => Promise.reject(new Error('no')), { chainId: 1 })
  assert.is(await searches(async () => 7, { chainId: 1 }), 7)
  assert.is(await bad.catch(({ message }: Error) => message), 'no')
})

s('refuses a search where too many of its chain wait, and only there', async () => {
  const searches = createSearchQueue()
  const gate = createGate()
  const first = searches(gate.search, { chainId: 1 })
  let ran = 0
  const count = async () => {
    ran += 1
  }
  const ask = (chainId: number) => searches(count, { chainId })
  const crowd = Array.from({ length: waiting }, () => ask(1))
  assert.ok(await ask(1).catch(isRefused))
  const other = ask(2)
  gate.open()
  await Promise.all([first, other, ...crowd])
  assert.is(ran, waiting + 1)
  await ask(1)
})

s('leaves out what nobody waits for any more', async () => {
  const searches = createSearchQueue()
  const gate = createGate()
  // The first has not had to wait: nobody asks.
  const first = searches(gate.search, { chainId: 1, isGone: () => true })
  let ran = 0
  const count = async () => {
    ran += 1
  }
  const left = searches(count, { chainId: 1, isGone: () => true })
  const stays = searches(count, { chainId: 1, isGone: () => false })
  gate.open()
  assert.ok(await left.catch(isRefused))
  await Promise.all([first, stays])
  assert.is(ran, 1)
})

/** A search that a crowd of 200 has asked for last. */
function createJoined(isGone?: () => boolean) {
  const searches = createSearchQueue({ now: () => 0 })
  const order: string[] = []
  const gate = createGate()
  const others = createAskers()
  const add = (name: string, asking: Partial<Asking>) =>
    searches(async () => void order.push(name), { chainId: 1, ...asking })
  const running = [searches(gate.search, { chainId: 1, caller: 'running' })]
  for (let n = 1; n < 200; n += 1) running.push(add(`crowd ${n}`, { caller: 'crowd' }))
  running.push(add('joined', { caller: 'crowd', others, isGone }))
  return {
    searches,
    order,
    others,
    add,
    async run() {
      gate.open()
      await Promise.all(running)
    },
  }
}

s(
  'runs what a crowd asked for in the turn of whoever joins it [attack/joined-search]',
  async () => {
    const { searches, order, others, add, run } = createJoined()
    for (const caller of ['honest', 'honest', 'other', 'crowd']) others.join({ caller })
    assert.is(searches.waiting?.(), 200, 'one search, however many ask for it')
    const own = add('own', { caller: 'honest' })
    await run()
    await own
    // That was a turn of its own.
    assert.equal(order.slice(0, 4), ['crowd 1', 'joined', 'crowd 2', 'own'])
    assert.is(order.length, 201)
    assert.is(searches.waiting?.(), 0)
    others.join({ caller: 'late' })
    await add('next', { others })
    assert.is(order.at(-1), 'next')
  },
)

s('runs what its first asker left for those who joined it [attack/joined-search]', async () => {
  const { order, others, run } = createJoined(() => true)
  let isGone = false
  others.join({ caller: 'honest', isGone: () => isGone })
  await run()
  assert.is(order.indexOf('joined'), 1)
  const left = createJoined(() => true)
  isGone = true
  left.others.join({ caller: 'honest', isGone: () => isGone })
  assert.ok(await left.run().then(() => false, isRefused))
})

s('refuses no search that another crowd has joined [attack/joined-search]', async () => {
  const { searches, order, others, add, run } = createJoined()
  others.join({ caller: 'honest' })
  const more = Array.from({ length: waiting }, (_, n) => add(`more ${n}`, { caller: 'crowd' }))
  const refused = more.map((each) => each.then(() => false, isRefused))
  assert.is(searches.waiting?.(), waiting)
  await run()
  assert.is((await Promise.all(refused)).filter(Boolean).length, 200)
  assert.is(order.indexOf('joined'), 1)
})

s('gives a shared search to the next who waits for it when its first asker left', async () => {
  const abandoned = new SearchRefused({ isAbandoned: true })
  let runs = 0
  const find = async () => {
    runs += 1
    if (runs === 1) throw abandoned
    return runs
  }
  assert.is(await findShared(find, { isGone: () => false }), 2)
  const gone = findShared(() => Promise.reject(abandoned), { isGone: () => true })
  assert.is(await gone.catch((error: unknown) => error), abandoned)
  const full = new SearchRefused({ isAbandoned: false })
  const refused = findShared(() => Promise.reject(full), { isGone: () => false })
  assert.is(await refused.catch((error: unknown) => error), full)
})

s('looks itself for what another crowd was refused', async () => {
  const full = new SearchRefused({ isAbandoned: false, callers: ['crowd'] })
  let runs = 0
  const find = async () => {
    runs += 1
    if (runs === 1) throw full
    return runs
  }
  assert.is(await findShared(find, { caller: 'honest' }), 2)
  const own = findShared(() => Promise.reject(full), { caller: 'crowd' })
  assert.is(await own.catch((error: unknown) => error), full)
})

s('knows callers by their keys, whatever they ask [strangers/searches-keys]', async () => {
  const callers: unknown[] = []
  const networks = new Set<unknown>()
  const classes = new Set<unknown>()
  const { ask, chain, market } = createGeneratedStand({
    pools: 20,
    tokens: 6,
    seed: 1,
    change: (given) => ({
      ...given,
      searches(search, asking) {
        callers.push(asking.caller)
        networks.add(asking.network)
        classes.add(asking.isPaying)
        return given.searches(search, asking)
      },
    }),
    access: {
      identify: async ({ headers }) => ({ keyId: String(headers['x-api-key']), scopes: [] }),
      limit: async () => undefined,
      charge: async () => ({
        status: 'charged',
        headers: {},
        isPaying: true,
        conclude: async () => undefined,
      }),
    },
  })
  const { chainId } = chain
  const [token = '', other = ''] = market.addresses
  const pair = { chain_id: chainId, token_in: token, token_out: other }
  const legs = [{ token, amount: '1000' }]
  const sizes = { target_output: '1000', max_input: '1000000' }
  const query = new URLSearchParams({ ...pair, chain_id: String(chainId), ...sizes })
  const questions: readonly (readonly [path: string, body?: object])[] = [
    ['/quote', { ...pair, amount_in: '1000' }],
    ['/quote_lp_disposal', { chain_id: chainId, target_token: other, legs }],
    [`/quote_exact_output?${query}`],
  ]
  for (const [path, body] of questions) {
    callers.length = 0
    await ask(path, body, path)
    assert.ok(callers.length > 0, path)
    assert.ok(callers.every((caller) => caller === path))
  }
  assert.not(networks.has(undefined))
  assert.equal([...classes], [true])
})

s.run()
