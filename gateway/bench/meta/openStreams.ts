import { request } from 'node:http'
import { quoteRequest } from '../../../fixtures/meta/scriptedMeta.ts'

/**
 * Clients of a stream as a process of their own: `node openStreams.ts <url> <count>`. Prints a line when
 * each has read its `initial`. On a line of stdin all leave, as fast as one process can have them leave;
 * it then prints, as JSON, the wall clock in milliseconds at which each did, by the amount it asked for.
 */
const [url = '', count = '1'] = process.argv.slice(2)
const leastAmount = 1_000_000
const clients = Array.from({ length: Number(count) }, (_, index) => {
  const body = JSON.stringify({
    ...quoteRequest,
    amountIn: String(leastAmount + index),
    refreshIntervalMs: 60_000,
  })
  const headers = { 'content-type': 'application/json' }
  const client = request(`${url}/quote/stream`, { method: 'POST', headers, agent: false })
  client.on('response', (res) => {
    let text = ''
    const read = (chunk: Buffer) => {
      text += chunk.toString()
      if (!text.includes('event: initial')) return
      res.off('data', read)
      res.resume()
      if (++initials === Number(count)) process.stdout.write('open\n')
    }
    res.on('data', read)
  })
  client.on('error', () => undefined)
  client.end(body)
  return client
})
let initials = 0

process.stdin.once('data', () => {
  const left = clients.map((client, index) => {
    const atMs = performance.timeOrigin + performance.now()
    client.destroy()
    return [leastAmount + index, atMs]
  })
  process.stdout.write(`${JSON.stringify(left)}\n`)
  process.stdin.destroy()
})
