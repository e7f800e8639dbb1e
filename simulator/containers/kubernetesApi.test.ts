import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findDebianProgram, passOver } from '../../fixtures/debianPrograms.ts'
import { makeAuthority } from '../../fixtures/kubernetes/makeAuthority.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { ApiRefusal, createKubernetesApi } from './kubernetesApi.ts'

/** Beside an API server that answers what a row of a test says, by a certificate of its own authority. */
const s = suite('simulator/containers/kubernetesApi')
const openssl = findDebianProgram('openssl')
if (openssl) await addTests(openssl)
else s('needs openssl', () => passOver({ name: 'openssl', debianPackage: 'openssl' }))

type Answer = {
  readonly status?: number
  readonly words?: string
  readonly headers?: Readonly<Record<string, string>>
  /** In pieces. */
  readonly body?: readonly string[]
}
async function addTests(program: string) {
  const { ca, key, cert } = makeAuthority(program)
  const account = mkdtempSync(join(tmpdir(), 'forkyard-account-'))
  const write = (token: string) => writeFileSync(join(account, 'token'), token)
  writeFileSync(join(account, 'ca.crt'), ca)
  const asked: (readonly [line: string, headers: IncomingHttpHeaders, body: string])[] = []
  const answers: Answer[] = []
  const server = createServer({ key, cert }, async (request, response) => {
    const body = await text(request)
    asked.push([`${request.method} ${request.url}`, request.headers, body])
    const { status = 200, words = '', headers = {}, body: pieces = ['{}'] } = answers.shift() ?? {}
    response.writeHead(status, words, headers)
    for (const piece of pieces) {
      response.write(piece)
      await new Promise(setImmediate)
    }
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  s.after(() => {
    server.closeAllConnections()
    server.close()
    rmSync(account, { recursive: true })
  })
  s.before.each(() => {
    write('first\n')
    asked.length = 0
    answers.length = 0
  })
  const { port } = server.address() as AddressInfo
  const api = createKubernetesApi({ host: '127.0.0.1', port, account })
  const { signal } = new AbortController()
  const refusalOf = async (asking: Promise<unknown>) => {
    const error = await asking.catch((thrown: unknown) => thrown)
    return error instanceof ApiRefusal ? [error.statusCode, error.message] : error
  }
  const refuse = async (answer: Answer) => {
    answers.push(answer)
    return refusalOf(api.ask({ path: '/api', signal }))
  }

  s('asks in the name of its account, as it is at that moment [teeth/kubernetes]', async () => {
    answers.push({ body: ['{"items"', ':[7]}'] }, { status: 201 })
    assert.equal(await api.ask({ path: '/api?a=1', signal }), { items: [7] })
    write('second')
    const body = { name: 'ä' }
    assert.equal(await api.ask({ method: 'POST', path: '/api', body, signal }), {})
    const [get, post] = asked
    assert.equal(
      [get?.[0], get?.[2], post?.[0], post?.[2]],
      ['GET /api?a=1', '', 'POST /api', JSON.stringify(body)],
    )
    assert.equal(
      asked.map(([, { authorization, accept }]) => [authorization, accept]),
      [
        ['Bearer first', 'application/json'],
        ['Bearer second', 'application/json'],
      ],
    )
    assert.is(get?.[1]['content-type'], undefined)
    assert.equal(
      [post?.[1]['content-type'], post?.[1]['content-length']],
      ['application/json', String(Buffer.byteLength(JSON.stringify(body)))],
    )
  })
  s('tells a refusal in the words of who refused [teeth/kubernetes]', async () => {
    const said = { status: 403, words: 'Forbidden', body: ['{"message":"not', ' yours"}'] }
    assert.equal(await refuse(said), [403, 'not yours'])
    for (const body of ['', '<html>', 'null', '{"message":7}'])
      assert.equal(await refuse({ ...said, body: [body] }), [403, '403 Forbidden'], body)
    const long = (length: number) => {
      const message = 'x'.repeat(length - '{"message":""}'.length)
      return refuse({ ...said, body: [JSON.stringify({ message })] })
    }
    const [whole, cut] = [await long(65_536), await long(65_537)] as [unknown[], unknown[]]
    assert.equal([String(whole[1]).length, cut[1]], [65_536 - 14, '403 Forbidden'])
    answers.push({ status: 299 })
    assert.equal(await api.ask({ path: '/api', signal }), {})
    for (const status of [300, 404, 500])
      assert.equal(await refuse({ status, words: 'No' }), [status, `${status} No`])
  })
  s('asks again when it is told to, and only then [teeth/kubernetes-busy]', async () => {
    answers.push({ status: 429, headers: { 'retry-after': '0.05' } }, { body: ['{"a":1}'] })
    const startedAt = performance.now()
    assert.equal(await api.ask({ path: '/api', signal }), { a: 1 })
    assert.is(asked.length, 2)
    assert.ok(performance.now() - startedAt >= 45)
    assert.equal(await refuse({ status: 429, words: 'Busy' }), [429, '429 Busy'])
    const later = { status: 503, words: 'Away', headers: { 'retry-after': '0' } }
    assert.equal(await refuse(later), [503, '503 Away'])
    assert.is(asked.length, 4)
    const soon = { status: 429, headers: { 'retry-after': '0' } }
    answers.push(soon)
    assert.equal(await api.ask({ path: '/api', signal }), {})
    assert.is(asked.length, 6)
    // Not for whoever has gone meanwhile.
    const leaving = new AbortController()
    answers.push({ status: 429, headers: { 'retry-after': '60' } })
    const connected = once(server, 'secureConnection')
    const asking = api
      .ask({ path: '/api', signal: leaving.signal })
      .catch(({ name }: Error) => name)
    const [connection] = await connected
    // It has read that by then, and waits.
    await once(connection, 'close')
    leaving.abort()
    assert.equal([await asking, asked.length], ['AbortError', 7])
  })
  s('watches event by event, however they are cut [teeth/kubernetes-watch]', async () => {
    answers.push({ body: ['{"type":"ADDED","object":1}\n{"ty', 'pe":"DELETED","object":2}', '\n'] })
    const seen: unknown[] = []
    for await (const event of api.watch({ path: '/api?watch=true', signal })) seen.push(event)
    assert.equal(seen, [
      { type: 'ADDED', object: 1 },
      { type: 'DELETED', object: 2 },
    ])
    answers.push({ status: 410, words: 'Gone' })
    const watch = api.watch({ path: '/api', signal })[Symbol.asyncIterator]()
    assert.equal(await refusalOf(watch.next()), [410, '410 Gone'])
  })
  s('trusts nobody whom its authority does not know [teeth/kubernetes]', async () => {
    writeFileSync(join(account, 'ca.crt'), makeAuthority(program).ca)
    const error = await api.ask({ path: '/api', signal }).catch((thrown: Error) => thrown.message)
    writeFileSync(join(account, 'ca.crt'), ca)
    assert.match(String(error), /certificate/)
    assert.is(asked.length, 0)
  })
}
s.run()
