import { request } from 'node:http'
import { quoteRequest } from '../../../fixtures/meta/scriptedMeta.ts'

/**
 * Clients of a stream as a process of their own, so that killing it is all of them leaving at once.
 * `node openStreams.ts <url> <count>`; prints a line when each has read its `initial`.
 */
const [url = '', count = '1'] = process.argv.slice(2)
let initials = 0
for (let index = 0; index < Number(count); index++) {
  const body = JSON.stringify({ ...quoteRequest, slippageBps: index, refreshIntervalMs: 60_000 })
  const headers = { 'content-type': 'application/json' }
  const asked = request(`${url}/quote/stream`, { method: 'POST', headers, agent: false }, (res) => {
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
  asked.end(body)
}
