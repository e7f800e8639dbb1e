import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { answerQuote, scriptSource } from '../../../fixtures/meta/quotes.ts'
import { startScriptedMeta } from '../../../fixtures/meta/scriptedMeta.ts'
import { defaultLimits, dispatchSource } from '../../meta/dispatch.ts'
import { startProviders } from '../../meta/providers.ts'

const scriptOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const names = ['velora', 'fabric', 'nordstern', 'sushi']

export type LeaveFigures = {
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
  metaUrl: string,
  { streams, last }: { readonly streams: number; readonly last: { open: number; atMs: number } },
): Promise<LeaveFigures> {
  const clients = spawn(process.execPath, [scriptOf('openStreams.ts'), metaUrl, String(streams)], {
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
export async function benchLeave(counts: readonly number[]): Promise<readonly LeaveFigures[]> {
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
  const figures: LeaveFigures[] = []
  for (const streams of counts) figures.push(await leaveOnce(meta.url, { streams, last }))
  await meta.close({ graceMs: 0 })
  await Promise.all(running.map(({ http }) => http.close()))
  hanging.stdin?.end()
  return figures
}
