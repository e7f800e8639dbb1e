import { request } from 'node:https'

/**
 * Honest callers of one address, each with a new connection: so many requests a second, evenly, whatever becomes of
 * those before. A duration counts from when the request was due.
 */
export type Honest = { readonly durationsMs: readonly number[]; readonly failed: number }

const [host = '', port = '0', perSecond = '50', seconds = '10'] = process.argv.slice(2)
const durationsMs: number[] = []
let failed = 0

const ask = (dueAt: number) =>
  new Promise<void>((resolve) => {
    const fail = () => {
      failed += 1
      resolve()
    }
    const sent = request({
      host,
      port: Number(port),
      servername: 'routing.localhost',
      headers: { host: 'routing.localhost' },
      path: '/api/tokens',
      rejectUnauthorized: false,
      agent: false,
      timeout: 10_000,
    })
    sent.on('error', fail).on('timeout', () => sent.destroy())
    sent.on('response', (response) => {
      response.resume().on('error', fail)
      response.on('end', () => {
        if (response.statusCode !== 200) return fail()
        durationsMs.push(performance.now() - dueAt)
        resolve()
      })
    })
    sent.end()
  })

const startedAt = performance.now()
const asked: Promise<void>[] = []
const everyMs = 1_000 / Number(perSecond)
const count = Number(perSecond) * Number(seconds)
const timer = setInterval(() => {
  while (asked.length < count) {
    const dueAt = startedAt + asked.length * everyMs
    if (dueAt > performance.now()) return
    asked.push(ask(dueAt))
  }
  clearInterval(timer)
  void Promise.all(asked).then(() => process.send?.({ durationsMs, failed } satisfies Honest))
}, 1)
process.on('disconnect', () => process.exit(0))
