import { assert, suite } from '../../fixtures/test.ts'
import { createSharedHints } from './sharedHints.ts'
import type { SyncedState } from './sync/syncedState.ts'
import { createSyncedState } from './sync/syncedState.ts'

const s = suite('routing/sharedHints')
let nowMs = 0
const head = { number: 1n, hash: '0x01', parentHash: '0x00', timestampSecs: 1n } as const
const read = () => createSyncedState({ taxOf: () => 0 }, { head, records: [] })

s(
  'reads the pools of a route once for all who ask at a moment [strangers/shared-hint]',
  async () => {
    const hints = createSharedHints({ now: () => nowMs })
    let reads = 0
    const answer = Promise.withResolvers<SyncedState>()
    const ask = (ids: readonly string[]) =>
      hints(ids, () => {
        reads += 1
        return answer.promise
      })
    const asked = [ask(['a', 'b']), ask(['b', 'a']), ask(['a', 'b'])]
    assert.is(reads, 1)
    const other = ask(['a'])
    assert.is(reads, 2, 'other pools are another question')
    const state = read()
    answer.resolve(state)
    for (const each of await Promise.all([...asked, other])) assert.is(each, state)
    nowMs += 999
    await ask(['a', 'b'])
    assert.is(reads, 2)
    nowMs += 1
    await ask(['a', 'b'])
    assert.is(reads, 3, 'they have moved since')
  },
)

s('keeps nothing that could not be read', async () => {
  const hints = createSharedHints({ now: () => nowMs })
  assert.is(await hints(['a'], async () => undefined), undefined)
  const refused = new Error('refused')
  const fell = hints(['a'], () => Promise.reject(refused))
  assert.is(await fell.catch((error: unknown) => error), refused)
  const state = read()
  assert.is(await hints(['a'], async () => state), state)
})

s.run()
