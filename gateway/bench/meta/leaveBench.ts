import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { answerQuote, scriptSource } from '../../../fixtures/meta/quotes.ts'
import { startScriptedMeta } from '../../../fixtures/meta/scriptedMeta.ts'
import { defaultLimits, dispatchSource } from '../../meta/dispatch.ts'
import { startProviders } from '../../meta/providers.ts'
import { startRawStreams } from './rawStreams.ts'

const scriptOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const names = ['velora', 'fabric', 'nordstern', 'sushi']

/** Rounds before those that count: what serves many has been compiled. */
const warmUp = 2

export type LeaveFigures = {
  readonly isRaw: boolean
  readonly streams: number
  /** Requests to providers that were open when the clients left. */
  readonly upstream: number
  /** From the kill of the clients' process until the providers saw the last of them closed. */
  readonly closedMs: number
  /** Processor time that our own process took for it. */
  readonly cpuMs: number
}

/** `<open> <wall clock in ms>` lines of the hanging providers; the newest stands in `last`. */
function watchOpen(child: ChildProcess) {
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  const last = { open: 0, atMs: 0 }
  const url = new Promise<string>((resolve) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.on('line', (next) => {
        const [open, atMs] = next.split(' ').map(Number)
        Object.assign(last, { open, atMs })
      })
    })
  })
  return { url, last }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the condition did not come true')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function leaveOnce(
  url: string,
  { streams, last }: { readonly streams: number; readonly last: { open: number; atMs: number } },
): Promise<Omit<LeaveFigures, 'isRaw'>> {
  const clients = spawn(process.execPath, [scriptOf('openStreams.ts'), url, String(streams)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(clients, 'exit')
  await once(clients.stdout, 'data')
  await until(() => last.open >= Math.min(streams, defaultLimits.concurrency) * names.length)
  const upstream = last.open
  const cpuBefore = process.cpuUsage()
  const leftAtMs = performance.timeOrigin + performance.now()
  clients.kill('SIGKILL')
  await exited
  await until(() => last.open === 0)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { streams, upstream, closedMs: last.atMs - leftAtMs, cpuMs: (user + system) / 1_000 }
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
      scriptSource({ name: 'a', answer: answerQuote({ provider: 'a' }) }),
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
