import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert, suite } from '../fixtures/test.ts'
import { joinCalls } from './joinCalls.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'
import { told } from './testing/answers.ts'

const s = suite('simulator/joinCalls')
const named = (...names: readonly string[]): readonly RpcCall[] =>
  names.map((method) => ({ method, params: [] }))

function open({ fails = false } = {}) {
  const sent: string[] = []
  const send = joinCalls(async (calls) => {
    sent.push(calls.map(({ method }) => method).join(' '))
    if (fails) throw new Error('no')
    return calls.map(({ method }) => told(method))
  })
  return { sent, send }
}

s(
  'what is asked in one turn travels together, and each is told its own [20/joined-reads]',
  async () => {
    const { sent, send } = open()
    const [one, two] = await Promise.all([send(named('a', 'b')), send(named('c'))])
    assert.equal([one, two], [[told('a'), told('b')], [told('c')]])
    assert.equal(await send(named('d')), [told('d')])
    assert.equal(sent, ['a b c', 'd'])
  },
)
s('no more than 200 at once [20/joined-reads]', async () => {
  const { sent, send } = open()
  const many = Array.from({ length: 150 }, () => 'x')
  const asked = [send(named(...many)), send(named(...many.slice(0, 50))), send(named('y'))]
  await Promise.all(asked)
  await nextTurn()
  assert.equal(
    sent.map((names) => names.split(' ').length),
    [200, 1],
  )
})
s('where they fail all who asked hear of it [20/joined-reads]', async () => {
  const { sent, send } = open({ fails: true })
  const heard = await Promise.allSettled([send(named('a')), send(named('b'))])
  assert.equal(
    heard.map((one) => one.status === 'rejected' && String(one.reason)),
    ['Error: no', 'Error: no'],
  )
  assert.equal(sent, ['a b'])
})
s.run()
