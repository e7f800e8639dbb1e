import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { parse } from 'yaml'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { startDoor } from './testing/startDoor.ts'

/** The proxy's own configuration, in an nginx of this machine, before a gateway that keeps all waiting. */
const s = suite('front door')
const patient = { deadlineMs: 60_000, everyMs: 20 }
const held: { readonly seen: IncomingMessage; readonly answer: () => void }[] = []
const gateway = createServer((seen, res) => {
  held.push({ seen, answer: () => res.end('{}') })
}).listen(0, '127.0.0.1')
await once(gateway, 'listening')
const { port: gatewayPort } = gateway.address() as AddressInfo
const docker = join(import.meta.dirname, '../../../docker')
/** As behind a balancer, by the files that the configuration names for it: tests choose their address. */
const behindBalancer = {
  'caller.conf':
    'set_real_ip_from unix:; set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For; real_ip_recursive on;',
  'door.conf': 'allow 127.0.0.1; deny all;',
}
const [balanced, paced, open] = await Promise.all([
  startDoor({
    gatewayPort,
    files: behindBalancer,
    change: (text) => text.replace(/limit_conn crowds \d+/, 'limit_conn crowds 150'),
  }),
  // None comes again within the test.
  startDoor({
    gatewayPort,
    files: behindBalancer,
    change: (text) =>
      text
        .replaceAll(/rate=\d+r\/s/g, 'rate=1r/m')
        .replace(/(network_rates burst)=\d+/, '$1=3')
        .replace(/(site_rates burst)=\d+/, '$1=9'),
  }),
  // Fewer in all than the image's, so that few networks fill them; and nothing else puts anybody out. All of
  // 127.1.0.0/16 and the like are one site, as those of an IPv6 /48 are.
  startDoor({
    gatewayPort,
    change: (text) =>
      text
        .replaceAll(/limit_conn all \d+/g, 'limit_conn all 96')
        .replace(/limit_conn sites \d+/, 'limit_conn sites 70')
        .replace('{6}).{10}', '{2}).{2}')
        .replace('client_header_timeout 10s', 'client_header_timeout 600s'),
  }),
])
const agents: Agent[] = []
s.after(async () => {
  for (const agent of agents) agent.destroy()
  gateway.closeAllConnections()
  gateway.close()
  await Promise.all([balanced?.close(), paced?.close(), open?.close()])
})

type Asked = {
  readonly port: number
  readonly agent: Agent
  readonly localAddress?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Answered = {
  readonly status: number
  readonly id: string
  readonly retryAfter: string | undefined
  readonly text: string
}

const ask = ({ headers, ...asked }: Asked) =>
  new Promise<Answered>((resolve, reject) => {
    const sent = request({
      path: '/api/tokens',
      ...asked,
      host: '127.0.0.1',
      servername: 'routing.localhost',
      headers: { host: 'routing.localhost', ...headers },
    })
    sent.on('error', reject)
    sent.on('response', (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      const id = String(res.headers['x-request-id'] ?? '')
      const retryAfter = res.headers['retry-after']
      res.on('end', () => resolve({ status: res.statusCode ?? 0, id, retryAfter, text }))
    })
    sent.end()
  })
const createAgent = () => {
  const agent = new Agent({ maxSockets: 512, rejectUnauthorized: false })
  agents.push(agent)
  return agent
}
const answerAll = () => {
  for (const { answer } of held.splice(0)) answer()
}

if (balanced) {
  const agent = createAgent()
  const askFrom = (from: string, headers: Readonly<Record<string, string>> = {}) =>
    ask({ port: balanced.tls, agent, headers: { 'x-forwarded-for': from, ...headers } })

  s('bounds an IPv6 /64 as one caller, and no other by it [24/proxy-network]', async () => {
    const addresses = Array.from({ length: 128 }, (_, index) => `2001:db8:1:2:${index + 1}::7`)
    const waiting = addresses.map((address) => askFrom(address))
    await waitFor('all are with the gateway', () => held.length === 128, patient)
    assert.is((await askFrom('2001:db8:1:2:ffff::1')).status, 429)
    const others = [askFrom('2001:db8:1:3::1'), askFrom('198.51.100.1')]
    await waitFor('others are let in', () => held.length === 130, patient)
    answerAll()
    const statuses = (await Promise.all([...waiting, ...others])).map(({ status }) => status)
    assert.equal([...new Set(statuses)], [200])
  })

  s('bounds an IPv6 /48 as well, however many /64s it has [24/proxy-crowd]', async () => {
    const addresses = Array.from(
      { length: 150 },
      (_, index) => `2001:db8:2:${index % 10}::${index}`,
    )
    const waiting = addresses.map((address) => askFrom(address))
    await waitFor('all are with the gateway', () => held.length === 150, patient)
    assert.is((await askFrom('2001:db8:2:77::1')).status, 429)
    const others = [askFrom('2001:db8:3:1::1'), askFrom('198.51.100.1')]
    await waitFor('others are let in', () => held.length === 152, patient)
    answerAll()
    await Promise.all([...waiting, ...others])
  })

  const log = () => readFileSync(join(balanced.dir, 'access.log'), 'utf8').trimEnd().split('\n')
  /** The line of a request that the gateway answers, and the id that it was told. */
  const writeLine = async (asking: Pick<Asked, 'path' | 'headers'>) => {
    const before = log().length
    const asked = ask({ port: balanced.tls, agent, ...asking })
    await waitFor('it is with the gateway', () => held.length === 1, patient)
    const id = String(held[0]?.seen.headers['x-request-id'])
    answerAll()
    await asked
    const isWritten = () => log().length > before && log().at(-1)?.endsWith(` ${id}`) === true
    await waitFor('its line is written', isWritten, patient)
    return { id, line: log().at(-1) ?? '' }
  }

  s("writes the request's id, a caller's or its own, and hands it on [24/proxy-id]", async () => {
    const own = /^[0-9a-f]{32}$/
    assert.match((await writeLine({})).id, own)
    for (const id of ['mine-1', '{a/b+c=;~}'])
      assert.is((await writeLine({ headers: { 'x-request-id': id } })).id, id)
    for (const id of ['two words', 'quo"ted', 'back\\slash', 'x'.repeat(129)])
      assert.match((await writeLine({ headers: { 'x-request-id': id } })).id, own)
    // What the proxy refuses itself has it, too.
    const headers = { 'x-request-id': 'mine-2', 'content-length': '400000' }
    const refused = await askFrom('198.51.100.2', headers)
    assert.equal([refused.status, refused.id], [413, 'mine-2'])
  })

  s('writes of what strangers send no more than its beginning [24/proxy-lines]', async () => {
    const { line } = await writeLine({
      path: `/${'%FC'.repeat(2_000)}`,
      headers: { host: `routing.${'h'.repeat(3_000)}`, 'x-request-id': 'x'.repeat(3_000) },
    })
    assert.ok(line.length < 1_200, String(line.length))
    assert.match(line, /^\S+ routing\.h+ "GET \/\\xFC/)
  })

  s('lets nobody in beside a balancer that it is behind', async () => {
    const stranger = await hold('127.0.1.1', { port: balanced.tls, count: 1 })
    await waitFor('it is put out', () => stranger.left() === 0, patient)
  })
}

if (paced) {
  const agent = createAgent()
  const askFrom = (from: string) =>
    ask({ port: paced.tls, agent, headers: { 'x-forwarded-for': from } })
  /** Statuses of requests from these addresses, one after the other. */
  async function askInTurn(addresses: readonly string[]) {
    const statuses: number[] = []
    for (const address of addresses) {
      const asked = askFrom(address)
      let isRefused = false
      void asked.then(() => {
        isRefused = true
      })
      await waitFor('it is let in or refused', () => isRefused || held.length > 0, patient)
      answerAll()
      statuses.push((await asked).status)
    }
    return statuses
  }

  s('gives one network so many requests a second, and a /48 of them [24/proxy-rate]', async () => {
    const network = (name: number) =>
      Array.from({ length: 5 }, (_, at) => `2001:db8:9:${name}::${at + 1}`)
    const most = [200, 200, 200, 200, 429]
    assert.equal(await askInTurn(network(1)), most)
    assert.equal(await askInTurn(network(2)), most)
    assert.equal(await askInTurn(network(3)), [200, 200, 429, 429, 429])
    assert.equal(await askInTurn(['2001:db8:10::1', ...Array(5).fill('198.51.100.9')]), [
      200,
      ...most,
    ])
    const { status, id, retryAfter, text } = await askFrom('198.51.100.9')
    assert.equal([status, retryAfter], [429, '1'])
    assert.equal(JSON.parse(text), {
      error: 'too many requests',
      code: 'rate_limited',
      retryAfterSec: 1,
      request_id: id,
    })
    // Such a line would hold the request line.
    assert.not.match(readFileSync(join(paced.dir, 'error.log'), 'utf8'), 'limiting')
  })
}

/** Half a greeting of TLS: more never comes. */
const unfinished = Buffer.from('160301', 'hex')

/** Connections from an address that never come to a request, and how many of them are left. */
async function hold(
  localAddress: string,
  { port, count, says = unfinished }: { port: number; count: number; says?: Buffer | string },
) {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket: Socket = connect({ host: '127.0.0.1', port, localAddress })
      socket.on('error', () => undefined).resume()
      await once(socket, 'connect')
      socket.write(says)
      return socket
    }),
  )
  return {
    left: () => sockets.filter(({ destroyed }) => !destroyed).length,
    /** Resolves when nginx has let go of each: until then they count. */
    async close() {
      const open = sockets.filter(({ destroyed }) => !destroyed)
      await Promise.all(open.map((socket) => once(socket.end(), 'close')))
    },
  }
}

if (open) {
  const isLetIn = (localAddress: string) =>
    new Promise<boolean>((resolve) => {
      const { plain: port } = open
      const asked = get({ host: '127.0.0.1', port, path: '/healthz', localAddress }, (res) => {
        res.resume()
        resolve(true)
      })
      asked.on('error', () => resolve(false))
    })
  const isAnswered = async (localAddress: string) => {
    const asked = ask({ port: open.tls, agent: createAgent(), localAddress })
    await waitFor('it is with the gateway', () => held.length === 1, patient)
    const seen = held[0]?.seen.headers['x-forwarded-for']
    answerAll()
    assert.equal([(await asked).status, seen], [200, localAddress])
  }

  s(
    'gives one network so many connections, read or not, at both ports [24/proxy-door]',
    async () => {
      const slow = await hold('127.0.1.1', { port: open.tls, count: 40 })
      const says = 'GET / HTTP/1.1\r\nhost: a\r\nx-a: '
      const plain = await hold('127.0.1.1', { port: open.plain, count: 40, says })
      await waitFor('64 are left', () => slow.left() + plain.left() === 64, patient)
      const late = await hold('127.0.1.1', { port: open.tls, count: 3 })
      await waitFor('none is let in', () => late.left() === 0, patient)
      await isAnswered('127.0.1.2')
      await Promise.all([slow.close(), plain.close()])
      // The other worker counts them for a moment longer than they are there.
      const areAllLetIn = async () => {
        const returns = await hold('127.0.1.1', { port: open.tls, count: 64 })
        await isAnswered('127.0.1.2')
        const left = returns.left()
        await returns.close()
        return left === 64
      }
      await waitFor('as many are let in again', areAllLetIn, patient)
    },
  )

  s('bounds what has many networks of its own [24/proxy-sites]', async () => {
    const many = await Promise.all(
      ['127.1.0.1', '127.1.0.2'].map((from) => hold(from, { port: open.tls, count: 60 })),
    )
    const left = () => many.reduce((sum, one) => sum + one.left(), 0)
    await waitFor('70 are left', () => left() === 70, patient)
    await isAnswered('127.2.0.1')
    for (const one of many) await one.close()
  })

  s('bounds all of them, and answers those who look after it [24/proxy-all]', async () => {
    const addresses = ['127.3.0.1', '127.4.0.1', '127.5.0.1', '127.6.0.1']
    const many = await Promise.all(
      addresses.map((address) => hold(address, { port: open.tls, count: 60 })),
    )
    const left = () => many.reduce((sum, one) => sum + one.left(), 0)
    await waitFor('96 are left', () => left() === 96, patient)
    assert.ok((await fetch(`http://127.0.0.1:${open.plain}/healthz`)).ok)
    for (const one of many) await one.close()
    await waitFor('there is room', () => isLetIn('127.7.0.1'), patient)
    await isAnswered('127.7.0.1')
  })
}

s('has room for what it lets in: connections, and memory in both stacks [24/proxy-room]', () => {
  const read = (file: string) => readFileSync(join(docker, file), 'utf8')
  const numberOf = (file: string, name: string) =>
    Number(new RegExp(`^\\s*(?:events \\{ )?${name} (\\d+);`, 'm').exec(read(file))?.[1])
  const all = numberOf('proxy/nginx.conf', 'limit_conn all')
  assert.ok(256 * numberOf('proxy/door.conf', 'limit_conn networks') < all)
  const inOneWorker = numberOf('proxy/nginx.conf', 'worker_connections')
  assert.ok(inOneWorker >= 3 * all)
  assert.ok(numberOf('proxy/nginx.conf', 'worker_rlimit_nofile') > inOneWorker)
  for (const stack of ['production', 'scale']) {
    const { services } = parse(read(`compose.${stack}.yaml`), { merge: true }) as {
      services: { proxy: { deploy: { resources: { limits: { memory: string } } } } }
    }
    const megabytes = Number.parseInt(services.proxy.deploy.resources.limits.memory, 10)
    // 92 kB for each, and what nginx has besides.
    assert.ok(megabytes * 2 ** 20 > all * 92_000 + 100e6, stack)
  }
})
s.run()
