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
      hints(ids, {
        read: () => {
          reads += 1
          return answer.promise
        },
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
  assert.is(await hints(['a'], { read: async () => undefined }), undefined)
  const refused = new Error('refused')
  const fell = hints(['a'], { read: () => Promise.reject(refused) })
  assert.is(await fell.catch((error: unknown) => error), refused)
  const state = read()
  assert.is(await hints(['a'], { read: async () => state }), state)
})

s('has whoever joins a reading wait in a turn of its own [attack/joined-reading]', async () => {
  const hints = createSharedHints({ now: () => nowMs })
  const answer = Promise.withResolvers<SyncedState>()
  const joined: unknown[] = []
  const ask = (caller: string) =>
    hints(['a'], {
      asker: { caller },
      read(others) {
        others.watch((asker) => joined.push(asker.caller))
        return answer.promise
      },
    })
  const asked = [ask('crowd'), ask('honest')]
  assert.equal(joined, ['honest'])
  answer.resolve(read())
  await Promise.all(asked)
  await ask('late')
  assert.equal(joined, ['honest'])
})

s('keeps those of 256 routes, those asked for last [teeth/shared-hints]', async () => {
  const hints = createSharedHints({ now: () => nowMs })
  const reads: string[] = []
  const ask = (id: string) =>
    hints([id], {
      async read() {
        reads.push(id)
        return read()
      },
    })
  for (let n = 0; n < 256; n += 1) await ask(`${n}`)
  await ask('0')
  assert.is(reads.length, 256)
  await ask('one more')
  await ask('0')
  assert.is(reads.length, 257)
  await ask('1')
  assert.equal(reads.slice(257), ['1'])
})
s('forgets its own reading alone where that failed [teeth/shared-hints]', async () => {
  const hints = createSharedHints({ now: () => nowMs })
  const first = Promise.withResolvers<undefined>()
  let reads = 0
  const ask = (id: string, answer: Promise<SyncedState | undefined> | undefined) =>
    hints([id], {
      read: () => {
        reads += 1
        return answer ?? Promise.resolve(undefined)
      },
    })
  const gone = ask('a', first.promise)
  // So many others that nobody remembers it.
  for (let n = 0; n < 256; n += 1) void ask(`${n}`, Promise.resolve(read()))
  const state = read()
  const again = ask('a', Promise.resolve(state))
  first.resolve(undefined)
  assert.equal([await gone, (await again) === state], [undefined, true])
  const before = reads
  assert.is(await ask('a', undefined), state)
  assert.is(reads, before)
})

s.run()
