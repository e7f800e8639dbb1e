import { assert, suite } from '../../../../fixtures/test.ts'
import { createDiscoveryDesk, type FeedMessage, readMessage } from './discoveryDesk.ts'

const s = suite('asking another gateway for pools')
const token = '0x00000000000000000000000000000000000000aa'
const other = '0x00000000000000000000000000000000000000bb'

s('reads what gateways say, and takes anything else for news', () => {
  const messages: readonly FeedMessage[] = [
    { kind: 'wrote' },
    { kind: 'wanted', tokens: [token], beside: [other] },
    { kind: 'looked', tokens: [token], seq: 5 },
  ]
  for (const message of messages) assert.equal(readMessage(JSON.stringify(message)), message)
  const strange = ['', '{', 'null', '5', '{"kind":"wanted"}', '{"kind":"wanted","tokens":[5]}']
  for (const payload of [...strange, '{"kind":"looked","tokens":[],"seq":"5"}'])
    assert.equal(readMessage(payload), { kind: 'wrote' })
})

s('is answered by the number under which all of its tokens stand', async () => {
  const told: FeedMessage[] = []
  const desk = createDiscoveryDesk({ tell: (message) => told.push(message) })
  const both = desk.ask({ tokens: [token, other], beside: [] })
  const one = desk.ask({ tokens: [other], beside: [] })
  assert.equal(told[0], { kind: 'wanted', tokens: [token, other], beside: [] })
  desk.answered({ tokens: [token], seq: 3 })
  desk.answered({ tokens: [other], seq: 4 })
  assert.is(await one, 4)
  desk.answered({ tokens: [token, other], seq: 9 })
  assert.is(await both, 9)
})

s('asks again while nobody answers, and ends without an answer when closed', async () => {
  let told = 0
  let isToldAgain = () => {}
  const again = new Promise<void>((resolve) => {
    isToldAgain = resolve
  })
  const desk = createDiscoveryDesk({
    tell() {
      told += 1
      if (told === 2) isToldAgain()
    },
  })
  const asked = desk.ask({ tokens: [token], beside: [] })
  await again
  desk.close()
  assert.is(await asked, undefined)
})
s.run()
