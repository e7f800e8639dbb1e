import { assert, suite } from '../../fixtures/test.ts'
import { createOutbox } from './outbox.ts'

const s = suite('meta/outbox')

/** A client that reads only when told to. */
function slowSink() {
  const sent: string[] = []
  let resume: (() => void) | undefined
  let isFull = false
  return {
    sent,
    stop: () => {
      isFull = true
    },
    read: () => {
      isFull = false
      resume?.()
    },
    sink: {
      send: (event: string, data: unknown) => {
        sent.push(`${event} ${String(data)}`)
        return !isFull
      },
      done: () => undefined,
      drained: () =>
        isFull
          ? new Promise<void>((resolve) => {
              resume = resolve
            })
          : Promise.resolve(),
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

s('hands events over at once while the client reads', () => {
  const { sink, sent } = slowSink()
  const outbox = createOutbox(sink)
  outbox.send('quote', 1, 'a')
  outbox.send('quote', 2, 'a')
  assert.equal(sent, ['quote 1', 'quote 2'])
})

s(
  'keeps one event per key for a client that does not read, the newest [meta/bounded-outbox]',
  async () => {
    const { sink, sent, stop, read } = slowSink()
    const outbox = createOutbox(sink)
    stop()
    outbox.send('quote', 0, 'quote:a')
    for (let round = 1; round <= 1_000; round++) {
      outbox.send('sim_update', round, 'sim:a')
      outbox.send('quote', round, 'quote:b')
      outbox.sendIfFlowing('keep_alive', round)
    }
    assert.equal(sent, ['quote 0'])
    read()
    await outbox.flushed()
    assert.equal(sent, ['quote 0', 'sim_update 1000', 'quote 1000'])
  },
)

s('flushes what arrived while it was draining', async () => {
  const { sink, sent, stop, read } = slowSink()
  const outbox = createOutbox(sink)
  stop()
  outbox.send('quote', 1, 'a')
  outbox.send('quote', 2, 'b')
  const flushed = outbox.flushed()
  outbox.send('quote', 3, 'c')
  read()
  await flushed
  outbox.send('quote', 4, 'd')
  assert.equal(sent, ['quote 1', 'quote 2', 'quote 3', 'quote 4'])
})

s('keeps the order in which the newest were said, and says each once', async () => {
  const { sink, sent, stop, read } = slowSink()
  const outbox = createOutbox(sink)
  for (const round of [1, 2]) {
    stop()
    outbox.send('full', round, 'full')
    outbox.send('older', 'of a', `a${round}`)
    outbox.send('only', 'of b', `b${round}`)
    outbox.send('newer', 'of a', `a${round}`)
    let isFlushed = false
    const flushed = outbox.flushed().then(() => {
      isFlushed = true
    })
    await turn()
    assert.not.ok(isFlushed)
    read()
    await flushed
    assert.equal(sent.splice(0), [`full ${round}`, 'only of b', 'newer of a'])
  }
  outbox.sendIfFlowing('keep_alive', 1)
  assert.equal(sent, ['keep_alive 1'])
})
s('waits again for a client that reads one event and no more', async () => {
  const { sink, sent, stop, read } = slowSink()
  const outbox = createOutbox({
    ...sink,
    send(event, data) {
      stop()
      return sink.send(event, data)
    },
  })
  for (const key of ['a', 'b', 'c']) outbox.send('quote', key, key)
  for (const expected of [1, 2, 3]) {
    await turn()
    assert.is(sent.length, expected)
    read()
  }
  await outbox.flushed()
  assert.equal(sent, ['quote a', 'quote b', 'quote c'])
})

s.run()
