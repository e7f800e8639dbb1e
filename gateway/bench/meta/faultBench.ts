import { makeRequest } from '../../../fixtures/meta/quotes.ts'
import { startRecordingServer } from '../../../fixtures/providers/recordingServer.ts'
import { defaultLimits, dispatchSource } from '../../meta/dispatch.ts'
import { fanOut } from '../../meta/fanOut.ts'
import { startProviders } from '../../meta/sources/providers.ts'

const names = ['velora', 'fabric', 'nordstern', 'sushi', 'kyberswap', 'fly', 'lifi', 'relay']

function start(url: string) {
  const settings = names.map((name) => ({ name, baseUrl: `${url}/${name}` }))
  const now = Date.now
  const running = startProviders(
    { now, gasPriceWei: async () => 1n },
    { settings, allowPrivate: true },
  )
  const sources = running.map(({ source }) =>
    dispatchSource({ now }, { source, limits: { ...defaultLimits, breakAfter: 1_000 } }),
  )
  return { sources, close: () => Promise.all(running.map(({ http }) => http.close())) }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const deps = { now: Date.now, onFault: () => undefined }
const request = makeRequest({ chainId: 8453 })

export type FaultFigures = {
  readonly openAfterDeadline: number
  readonly openAfterDisconnect: number
  readonly asked: number
  readonly callsInsideRetryAfter: number
}

/** Sockets that are still open 50 ms after the end, and calls made while a provider wants a pause. */
export async function benchFaults(): Promise<FaultFigures> {
  const server = await startRecordingServer()
  const { sources, close } = start(server.url)
  server.answerWith(() => ({ delayMs: 'never' }))
  const patienceMs = 300
  const ask = (signal: AbortSignal, deadlineMs: number) =>
    fanOut(deps, { sources, request, deadlineMs, patienceMs, signal })
  await ask(new AbortController().signal, 300)
  await wait(50)
  const openAfterDeadline = server.open()
  const leaving = new AbortController()
  const asked = ask(leaving.signal, 5_000)
  await wait(300)
  leaving.abort()
  await asked
  await wait(50)
  const openAfterDisconnect = server.open()

  server.answerWith(() => ({ status: 429, headers: { 'retry-after': '1' }, body: '' }))
  const before = server.calls.length
  const started = performance.now()
  while (performance.now() - started < 900) {
    await ask(new AbortController().signal, 300)
    await wait(10)
  }
  // The first call of each opens its window; every further one would be inside it.
  const callsInsideRetryAfter = server.calls.length - before - sources.length
  await close()
  await server.close()
  return { openAfterDeadline, openAfterDisconnect, asked: sources.length, callsInsideRetryAfter }
}
