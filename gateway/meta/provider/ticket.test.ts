import { assert, suite } from '../../../fixtures/test.ts'
import { createTicket, type Entrant } from './ticket.ts'

const s = suite('meta/ticket')
const [first, other]: [Entrant, Entrant] = [{ caller: 'a' }, { caller: 'b', site: 'x' }]

/** A ticket in a line that writes down who came and who went. */
function stand() {
  const ticket = createTicket(first)
  const told: string[] = []
  const end = ticket.stand({
    came: ({ caller }) => void told.push(`came ${caller}`),
    went: ({ caller }) => void told.push(`went ${caller}`),
  })
  return { ticket, told, end, names: () => ticket.entrants().map(({ caller }) => caller) }
}
s('stands in the names of all who ask, each as often as he does [teeth/ticket]', () => {
  const { ticket, told, names } = stand()
  ticket.join(other)
  ticket.join(other)
  assert.equal([names(), told], [['a', 'b'], ['came b']])
  assert.equal([ticket.leave(other), names(), told], [true, ['a', 'b'], ['came b']])
  assert.equal([ticket.leave(other), names(), told], [true, ['a'], ['came b', 'went b']])
  // Who leaves last is not taken out of the line: nobody wants the call any more.
  assert.equal([ticket.leave(first), names(), told], [false, [], ['came b', 'went b']])
})
s('is not left by who never asked [teeth/ticket]', () => {
  const { ticket, told, names } = stand()
  assert.equal([ticket.leave(other), names(), told], [true, ['a'], []])
})
s('waits as long as it stands in a line, and longer where it was given up [teeth/ticket]', () => {
  const { ticket, told, end } = stand()
  assert.is(ticket.isWaiting(), true)
  const second = ticket.stand({ came: () => undefined, went: () => undefined })
  end(true)
  ticket.join(other)
  assert.equal([ticket.isWaiting(), told], [true, []])
  second(false)
  assert.is(ticket.isWaiting(), true)
  assert.equal([createTicket(first).isWaiting(), createTicket(first).waitedMs()], [false, 0])
})
s.run()
