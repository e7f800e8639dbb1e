import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assert, suite } from '../../fixtures/test.ts'
import type { HttpError } from './httpError.ts'
import { readJsonBody } from './readJsonBody.ts'

const s = suite('http/readJsonBody')

/** A body that comes in these pieces, then ends, or breaks off. */
function read(
  pieces: readonly (string | Buffer)[],
  {
    end = 'whole',
    headers = {},
    maxBytes = 10,
  }: { end?: 'whole' | 'left' | 'broken'; headers?: object; maxBytes?: number } = {},
) {
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { headers })
  const body = readJsonBody(req, { maxBytes })
  for (const piece of pieces) req.push(Buffer.from(piece))
  if (end === 'whole') req.push(null)
  else req.destroy(end === 'broken' ? new Error('reset') : undefined)
  return body.catch(({ status, message }: HttpError) => [status, message])
}

s('joins what comes in pieces, and keeps its text [teeth/body]', async () => {
  assert.equal(await read(['[1', ',[2,', '3]]']), { value: [1, [2, 3]], text: '[1,[2,3]]' })
  assert.equal(await read(['{"a":1}']), { value: { a: 1 }, text: '{"a":1}' })
})
s('leaves out a byte order mark [teeth/body]', async () => {
  assert.equal(await read(['\uFEFF{}']), { value: {}, text: '{}' })
})
s('refuses what is not UTF-8 [teeth/body]', async () => {
  assert.equal(await read([Buffer.from([0x22, 0xff, 0x22])]), [400, 'the body is not UTF-8'])
})
s(
  'takes ten bytes of ten, and says so of an eleventh, announced or come [teeth/body]',
  async () => {
    assert.equal(await read(['[123456', '78]']), { value: [12345678], text: '[12345678]' })
    const tooLarge = [413, 'the body is larger than 10 bytes']
    assert.equal(await read(['[1234567', '89]']), tooLarge)
    assert.equal(await read(['[1]'], { headers: { 'content-length': '11' } }), tooLarge)
    assert.equal(await read(['[1]'], { headers: { 'content-length': '10' } }), {
      value: [1],
      text: '[1]',
    })
  },
)
s('refuses what is empty or encoded, and what ends before it is whole [teeth/body]', async () => {
  assert.equal(await read([]), [400, 'the body is empty; a JSON object is needed'])
  assert.equal(await read(['[1]'], { headers: { 'content-encoding': 'identity' } }), {
    value: [1],
    text: '[1]',
  })
  const [status] = (await read(['[1]'], { headers: { 'content-encoding': 'br' } })) as unknown[]
  assert.is(status, 415)
  const early = [400, 'the body ended early']
  assert.equal(await read(['[1'], { end: 'left' }), early)
  assert.equal(await read(['[1'], { end: 'broken' }), early)
})
s('ends at once where its sender left before it was asked for [24/body-left]', async () => {
  const req = new IncomingMessage(new Socket())
  req.destroy()
  await once(req, 'close')
  const ended = readJsonBody(req, { maxBytes: 10 }).catch(({ message }: HttpError) => message)
  const turn = new Promise((resolve) => setImmediate(resolve, 'a turn is over'))
  assert.is(await Promise.race([ended, turn]), 'the body ended early')
})
s('refuses what is no JSON, and a key that copies meet, at any depth [teeth/body]', async () => {
  const none = [400, 'the body is not valid JSON']
  for (const text of ['{', 'a', '[1,]']) assert.equal(await read([text]), none)
  const proto = [400, 'the body must not contain a key named __proto__']
  const long = (text: string) => read([text], { maxBytes: 100 })
  assert.equal(await long('[null,1,{"a":[{"__proto__":1}]}]'), proto)
  assert.equal(await long('{"\\u005f_proto__":1}'), proto)
  assert.equal(await long('["__proto__",null]'), {
    value: ['__proto__', null],
    text: '["__proto__",null]',
  })
})

s('listens to no request whose body is whole: its end makes no error', async () => {
  const req = new IncomingMessage(new Socket())
  const before = req.listenerCount('close')
  const body = readJsonBody(req, { maxBytes: 100 })
  let left = Number.NaN
  req.on('end', () => {
    left = req.listenerCount('close') - before
  })
  req.push(Buffer.from('{}'))
  req.push(null)
  assert.equal((await body).value, {})
  assert.is(left, 0)
})

s('knows why a body ended early, and listens to it no more [teeth/body-broken]', async () => {
  for (const [cause, expected] of [
    [new Error('reset'), 'reset'],
    [undefined, undefined],
  ] as const) {
    const req = new IncomingMessage(new Socket())
    const names = ['data', 'end', 'close', 'error']
    const count = () => names.map((name) => req.listenerCount(name))
    const before = count()
    const body = readJsonBody(req, { maxBytes: 10 }).catch((error: HttpError) => error)
    req.destroy(cause)
    const error = (await body) as HttpError
    assert.is((error.cause as Error | undefined)?.message, expected)
    assert.equal(count(), before)
  }
})

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void
/** Buffers that one collection finds are let go by a thread, which the next one waits for. */
function collect(): void {
  gc()
  gc()
}

s(
  'keeps no body with a request that stays, as that of a stream does [24/body-forgotten]',
  async () => {
    const text = JSON.stringify('a'.repeat(100_000))
    collect()
    const before = process.memoryUsage().arrayBuffers
    const requests: IncomingMessage[] = []
    for (let count = 0; count < 50; count += 1) {
      const req = new IncomingMessage(new Socket())
      const body = readJsonBody(req, { maxBytes: 200_000 })
      req.push(Buffer.from(text))
      req.push(null)
      await body
      requests.push(req)
    }
    collect()
    const perRequest = (process.memoryUsage().arrayBuffers - before) / requests.length
    assert.ok(perRequest < 10_000, `${perRequest} bytes of each`)
  },
)
s.run()
