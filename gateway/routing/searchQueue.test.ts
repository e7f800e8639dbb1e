import { assert, suite } from '../../fixtures/test.ts'
import { createSearchQueue, findShared, SearchRefused } from './searchQueue.ts'

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

s.run()
