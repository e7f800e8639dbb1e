import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { linger } from './linger.ts'

/** By a clock that is set here; `rawSockets.test.ts` has senders that go on. */
const s = suite('http/linger')
s.before(() => mock.timers.enable({ apis: ['setTimeout'] }))
s.after(() => mock.timers.reset())

/** A request of which not all has come yet. */
function open(given: { readonly complete?: boolean } = {}) {
  const request = Object.assign(new IncomingMessage(new Socket()), given)
  const response = new ServerResponse(request)
  return { request, response, begin: () => linger(request, response) }
}

s('reads on for five seconds, and no longer', () => {
  const { request, response, begin } = open()
  begin()
  assert.equal([request.readableFlowing, response.getHeader('connection')], [true, 'keep-alive'])
  mock.timers.tick(4_999)
  assert.not.ok(request.destroyed)
  mock.timers.tick(1)
  assert.ok(request.destroyed)
})
s('does nothing where all has come, nobody is left, or the answer is out', () => {
  const [whole, gone, answered] = [open({ complete: true }), open(), open()]
  gone.request.destroy()
  answered.response.writeHead(200)
  for (const { request, begin } of [whole, gone, answered]) {
    begin()
    assert.is(request.readableFlowing, null)
  }
  mock.timers.tick(5_000)
  assert.equal([whole.request.destroyed, answered.request.destroyed], [false, false])
})
s.run()
