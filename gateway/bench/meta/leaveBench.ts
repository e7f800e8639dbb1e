import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { answerQuote } from '../../../fixtures/meta/quotes.ts'
import { startScriptedMeta } from '../../../fixtures/meta/scriptedMeta.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { defaultLimits, dispatchSource } from '../../meta/dispatch.ts'
import type { Source } from '../../meta/provider/source.ts'
import { startProviders } from '../../meta/sources/providers.ts'
import { startRawStreams } from './rawStreams.ts'

const scriptOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const names = ['velora', 'fabric', 'nordstern', 'sushi']

/** Rounds before those that count: what serves many has been compiled. */
const warmUp = 2

export type LeaveFigures = {
  readonly isRaw: boolean
  readonly streams: number
  /** Requests to providers that clients had left; also those of the queue that were called meanwhile. */
  readonly upstream: number
  /** From a client's leaving until the provider saw its request closed: the worst of all. */
  readonly closedMs: number
  /** Processor time that our own process took for it. */
  readonly cpuMs: number
}

type Times = readonly (readonly [amount: number, atMs: number])[]

/** What the hanging providers say. */
function watchOpen(child: ChildProcess) {
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  const last = { open: 0, closed: [] as Times }
  const url = new Promise<string>((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.on('line', (next) => void Object.assign(last, JSON.parse(next)))
    })
  })
  return { url, last }
}

/** Answers every amount. */
const quick: Source = {
  name: 'a',
  quote: async ({ trade }) => {
    const amountIn = trade.type === 'exactInput' ? trade.amountIn : 0n
    return answerQuote({ provider: 'a', amountIn, maxAmountIn: amountIn })
  },
}

async function leaveOnce(
  url: string,
  { streams, last }: { readonly streams: number; readonly last: { open: number; closed: Times } },
): Promise<Omit<LeaveFigures, 'isRaw'>> {
  const clients = spawn(process.execPath, [scriptOf('openStreams.ts'), url, String(streams)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(clients, 'exit')
  const lines = createInterface({ input: clients.stdout })
  await once(lines, 'line')
  const expected = Math.min(streams, defaultLimits.concurrency) * names.length
  await waitFor('all are open', () => last.open >= expected, { deadlineMs: 30_000, everyMs: 2 })
  const cpuBefore = process.cpuUsage()
  const said = once(lines, 'line')
  clients.stdin.write('leave\n')
  const [line] = await said
  await waitFor('all are closed', () => last.open === 0, { deadlineMs: 30_000, everyMs: 2 })
  const { user, system } = process.cpuUsage(cpuBefore)
  await exited
  const left = new Map(JSON.parse(String(line)) as Times)
  const waits = last.closed.map(([amount, atMs]) => atMs - (left.get(amount) ?? Number.NaN))
  const closedMs = Math.max(...waits)
  if (Number.isNaN(closedMs)) throw new Error('a request was closed that no client had asked for')
  return { streams, upstream: waits.length, closedMs, cpuMs: (user + system) / 1_000 }
}

/** All clients of so many streams leave at once: providers, clients and ourselves in processes of their own. */
export async function benchLeave({
  counts,
  rounds,
}: {
  readonly counts: readonly number[]
  readonly rounds: number
}): Promise<readonly LeaveFigures[]> {
  const hanging = spawn(
    process.execPath,
    [scriptOf('../../../fixtures/providers/serveHanging.ts')],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const { url, last } = watchOpen(hanging)
  const base = await url
  const running = startProviders(
    { now: Date.now, gasPriceWei: async () => 1n },
    { settings: names.map((name) => ({ name, baseUrl: `${base}/${name}` })), allowPrivate: true },
  )
  const limits = { ...defaultLimits, timeoutMs: 60_000 }
  const meta = await startScriptedMeta({
    sources: [
      quick,
      ...running.map(({ source }) => dispatchSource({ now: Date.now }, { source, limits })),
    ],
    deadlineMs: 60_000,
  })
  const raw = await startRawStreams({
    providerUrls: names.map((name) => `${base}/${name}`),
    concurrency: limits.concurrency,
  })
  const figures: LeaveFigures[] = []
  for (const streams of counts)
    for (let round = -warmUp; round < rounds; round++)
      for (const isRaw of [true, false]) {
        const figure = await leaveOnce(isRaw ? raw.url : meta.url, { streams, last })
        if (round >= 0) figures.push({ isRaw, ...figure })
      }
  await Promise.all([meta.close({ graceMs: 0 }), raw.close()])
  await Promise.all(running.map(({ http }) => http.close()))
  hanging.stdin?.end()
  return figures
}
