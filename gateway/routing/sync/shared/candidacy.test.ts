import { assert, suite } from '../../../../fixtures/test.ts'
import { createLocalCoordination } from '../../../store/coordination.ts'
import { createCandidacy } from './candidacy.ts'

const s = suite('standing for election')

function stand() {
  const events: string[] = []
  const candidacy = createCandidacy({
    coordination: createLocalCoordination(),
    name: 'chain',
    won: (term) => events.push(`won ${term}`),
    lost: () => events.push('lost'),
  })
  return { candidacy, events }
}

s('stands once, however often it begins, and holds the term it won', async () => {
  const { candidacy, events } = stand()
  assert.is(candidacy.begin(), 'begun')
  assert.is(candidacy.begin(), 'had begun')
  assert.not(candidacy.holds(1))
  await Promise.resolve()
  assert.equal(events, ['won 1'])
  assert.ok(candidacy.holds(1))
  assert.not(candidacy.holds(2))
  await candidacy.close()
})

s('holds nothing while it rests, and stands no more when it is closed meanwhile', async () => {
  const { candidacy, events } = stand()
  candidacy.begin()
  await Promise.resolve()
  const rested = candidacy.rest()
  assert.not(candidacy.holds(1))
  assert.is(events[1], 'lost')
  await candidacy.close()
  await rested
  await Promise.resolve()
  assert.not(events.slice(1).includes('won 1'))
})

s('wins no term after it was closed', async () => {
  const { candidacy, events } = stand()
  candidacy.begin()
  await candidacy.close()
  await Promise.resolve()
  assert.not(events.includes('won 1'))
})

s.run()
