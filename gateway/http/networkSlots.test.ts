import { assert, suite } from '../../fixtures/test.ts'
import { createNetworkSlots } from './networkSlots.ts'

const s = suite('http/networkSlots')

s('gives an address what it may hold, and each slot back once [teeth/slots]', () => {
  const slots = createNetworkSlots(2)
  const take = () => slots.take('192.0.2.1')
  const first = take()
  assert.equal([typeof first, typeof take(), take()], ['function', 'function', undefined])
  assert.is(typeof slots.take('198.51.100.1'), 'function')
  first?.()
  first?.()
  assert.equal([typeof take(), take()], ['function', undefined])
})
s('gives nothing where nothing may be held [teeth/slots]', () => {
  assert.is(createNetworkSlots(0).take('192.0.2.1'), undefined)
})
s.run()
