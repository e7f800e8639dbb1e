import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../testing/waitFor.ts'
import type { ForkEngine } from './forkEngine.ts'
import { startSimulatord } from './simulatord.ts'

const s = suite('simulator/containers/simulatord')

async function start({ maxForks, most }: { readonly maxForks: number; readonly most: number }) {
  const waiting: PromiseWithResolvers<string>[] = []
  const forks: ForkEngine = {
    host: '127.0.0.1',
    async start() {
      const one = Promise.withResolvers<string>()
      waiting.push(one)
      // Whoever is let in beyond the bound is told so, and not kept.
      if (waiting.length > most) one.resolve('another')
      return { id: await one.promise, url: 'http://127.0.0.1:1' }
    },
    stop: async () => undefined,
    readMemoryBytes: async () => undefined,
    sweep: async () => 0,
    close: async () => undefined,
  }
  const { url, close } = await startSimulatord(
    { forks, log: () => undefined },
    { port: 0, maxForks },
  )
  const ask = async (method: string, parameter: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [parameter] })
    const answer = await fetch(url, { method: 'POST', body })
    const { result, error } = (await answer.json()) as {
      result?: unknown
      error?: { message: string }
    }
    return error?.message ?? result
  }
  const block = { chainId: 1, blockNumber: 1, upstreamPort: 1, upstreamPath: '/', niceness: 0 }
  const session = await ask('openSession', {})
  return { waiting, close, startFork: () => ask('startFork', { session, ...block }) }
}

const idOf = (answer: unknown) => (answer as { readonly id?: string }).id

const { waiting, close, startFork } = await start({ maxForks: 2, most: 2 })
s.after(close)

s('counts forks that are being started among those that it may have [24/fork-bound]', async () => {
  const begun = (count: number) => waitFor(`${count} are begun`, () => waiting.length === count)
  const first = [startFork(), startFork()]
  await begun(2)
  const beyond = startFork()
  assert.is(await beyond, 'too many forks')
  waiting[0]?.reject(new Error('no image'))
  assert.is(await first[0], 'the fork did not start')
  waiting[1]?.resolve('second')
  assert.is(idOf(await first[1]), 'second')
  // The one that failed has left its place.
  assert.is(idOf(await startFork()), 'another')
  assert.is(await startFork(), 'too many forks')
})
s.run()
