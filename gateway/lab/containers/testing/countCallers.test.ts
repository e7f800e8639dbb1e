import { assert, suite } from '../../../../fixtures/test.ts'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import { startCallers } from './countCallers.ts'
import { startDoor } from './startDoor.ts'

const s = suite('callers of a stack under test')
const door = await startDoor({
  // Nobody is there, so that each answer comes at once.
  gatewayPort: 9,
  change: (text) => text.replace(/(network_rates burst)=\d+/, '$1=20'),
})
s.after(() => door?.close())

if (door)
  s('never come faster than the proxy takes of one network [24/proxy-callers]', async () => {
    const calling = startCallers(
      { port: door.tls, apiKey: '' },
      { ofEachKind: 2, bodyOf: () => ({}) },
    )
    await waitFor('they have been refused often', () => calling.met(502) >= 200, {
      deadlineMs: 60_000,
      everyMs: 5,
    })
    const statuses = (await calling.stop()).flatMap(({ counts }) => [...counts.keys()])
    assert.equal([...new Set(statuses)], [502])
  })
s.run()
