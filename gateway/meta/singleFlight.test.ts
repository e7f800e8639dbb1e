import { getEventListeners } from 'node:events'
import { assert, suite } from '../../fixtures/test.ts'
import type { Ticket } from './provider/ticket.ts'
import { createSingleFlight } from './singleFlight.ts'

const s = suite('meta/singleFlight')

/** Calls of one key, each answered when it is told to. */
function open() {
  const share = createSingleFlight<string>()
  const runs: (PromiseWithResolvers<string> & { readonly signal: AbortSignal })[] = []
  const tickets: Ticket[] = []
  function ask(caller: string, signal: AbortSignal) {
    const asked = share('key', {
      entrant: { caller },
      signal,
      onTicket: (ticket) => void tickets.push(ticket),
      run(signal) {
        const run = { ...Promise.withResolvers<string>(), signal }
        runs.push(run)
        return run.promise
      },
    })
    return asked.catch((error: unknown) => `${caller}: ${error}`)
  }
  return { ask, runs, tickets }
}
const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

s(
  'is one for all who ask the same meanwhile, and another one after it [teeth/flight]',
  async () => {
    const { ask, runs, tickets } = open()
    const both = [ask('a', never), ask('b', never)]
    assert.equal([runs.length, tickets.length, tickets[0] === tickets[1]], [1, 2, true])
    assert.equal(tickets[0]?.entrants(), [{ caller: 'a' }, { caller: 'b' }])
    runs[0]?.resolve('one')
    assert.equal(await Promise.all(both), ['one', 'one'])
    const next = ask('a', never)
    assert.is(runs.length, 2)
    runs[1]?.resolve('two')
    assert.is(await next, 'two')
    assert.is(getEventListeners(never, 'abort').length, 0)
  },
)

s('goes on until the last has left, and is joined by nobody then [teeth/flight-left]', async () => {
  const { ask, runs } = open()
  const [first, second] = [new AbortController(), new AbortController()]
  const asked = [ask('a', first.signal), ask('b', second.signal)]
  first.abort('gone')
  assert.is(await asked[0], 'a: gone')
  assert.is(runs[0]?.signal.aborted, false)
  second.abort('gone, too')
  assert.is(await asked[1], 'b: gone, too')
  assert.equal([runs[0]?.signal.aborted, runs[0]?.signal.reason], [true, 'gone, too'])
  const next = ask('c', never)
  assert.is(runs.length, 2)
  // What was given up ends after the next one began, and takes nothing from it.
  runs[0]?.reject(new Error('aborted'))
  await turn()
  const more = ask('d', never)
  assert.is(runs.length, 2)
  runs[1]?.resolve('two')
  assert.equal(await Promise.all([next, more]), ['two', 'two'])
  assert.is(await ask('e', AbortSignal.abort('late')), 'e: late')
  assert.is(runs.length, 2)
})
s.run()
