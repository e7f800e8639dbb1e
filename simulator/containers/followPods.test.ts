import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { followPods } from './followPods.ts'
import type { KubernetesApi, WatchEvent } from './kubernetesApi.ts'
import type { Pod } from './readPod.ts'

/** Beside an API server whose lists and watches are set here. */
const s = suite('simulator/containers/followPods')
s.before.each(() => {
  nowMs = 0
  mock.method(performance, 'now', () => nowMs)
})
s.after.each(() => mock.restoreAll())
let nowMs = 0
const turn = () => new Promise(setImmediate)
/** Pauses of nothing take a turn of the clock's own. */
async function until(isTrue: () => boolean) {
  for (let n = 0; n < 100_000 && !isTrue(); n += 1) await turn()
  assert.ok(isTrue())
}
function expect() {
  const expected = Promise.withResolvers<WatchEvent<Pod> | undefined>()
  // Whoever has left a watch waits for no more of it.
  expected.promise.catch(() => undefined)
  return expected
}
const pod = (name: string): Pod => ({ metadata: { name, uid: name } })

function open() {
  const asked: URL[] = []
  const told: (readonly [what: string, of: unknown])[] = []
  const lists: (Error | readonly Pod[])[] = []
  let held: Promise<void> | undefined
  const watches: ReturnType<typeof createWatch>[] = []
  const place = (path: string) => new URL(path, 'http://api')
  function createWatch(signal: AbortSignal) {
    let next = expect()
    const leave = () => next.reject(new Error('aborted'))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    async function* events() {
      for (;;) {
        const event = await next.promise
        if (!event) return
        next = expect()
        yield event
      }
    }
    return {
      events: events(),
      isLeft: () => signal.aborted,
      async say(type: WatchEvent<Pod>['type'], name = '') {
        next.resolve({ type, object: pod(name) })
        await turn()
      },
      async end() {
        next.resolve(undefined)
        await turn()
      },
    }
  }
  const api: KubernetesApi = {
    async ask({ path }) {
      asked.push(place(path))
      await held
      const listed = lists.shift() ?? []
      if (listed instanceof Error) throw listed
      return { items: listed, metadata: { resourceVersion: `${asked.length}` } } as never
    },
    watch({ path, signal }) {
      asked.push(place(path))
      const watch = createWatch(signal)
      watches.push(watch)
      return watch.events as never
    },
  }
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name)
  return {
    asked,
    told,
    lists,
    hold(until: Promise<void>) {
      held = until
    },
    watch: () => watches.at(-1),
    start: () =>
      followPods(
        {
          api,
          told: {
            listed: (pods, atMs) => void told.push([`listed at ${atMs}`, names(pods)]),
            changed: ({ metadata }) => void told.push(['changed', metadata.name]),
            deleted: (name) => void told.push(['deleted', name]),
            failed: (error) => void told.push(['failed', (error as Error).message]),
          },
        },
        { path: '/api/v1/namespaces/n/pods', labels: { one: 'a', two: 'b' } },
      ),
  }
}
const queryOf = ({ searchParams }: URL) => Object.fromEntries(searchParams)

s('lists, and follows from what the list was of [teeth/follow-pods]', async () => {
  const { start, asked, told, lists, watch } = open()
  lists.push([pod('a'), pod('b')])
  nowMs = 500
  const following = start()
  await turn()
  const labelSelector = 'one=a,two=b'
  assert.equal(
    asked.map(({ pathname }) => pathname),
    ['/api/v1/namespaces/n/pods', '/api/v1/namespaces/n/pods'],
  )
  assert.equal(asked.map(queryOf), [
    { labelSelector },
    { labelSelector, watch: 'true', resourceVersion: '1', timeoutSeconds: '60' },
  ])
  for (const [type, name] of [
    ['ADDED', 'c'],
    ['BOOKMARK', 'none'],
    ['MODIFIED', 'a'],
    ['DELETED', 'b'],
  ] as const)
    await watch()?.say(type, name)
  assert.equal(told, [
    ['listed at 500', ['a', 'b']],
    ['changed', 'c'],
    ['changed', 'a'],
    ['deleted', 'b'],
  ])
  await following.close()
  assert.is(told.length, 4, 'its own end is no failure')
})
s(
  'lists again after each end of a watch, a second after it began [teeth/follow-pods]',
  async () => {
    const { start, asked, told, watch } = open()
    const following = start()
    await turn()
    nowMs = 1_000
    await watch()?.end()
    await until(() => asked.length === 4)
    nowMs = 2_000
    await watch()?.say('ERROR')
    await until(() => asked.length === 6)
    assert.is(told.length, 3)
    // Of the second since it began twenty milliseconds are left.
    nowMs = 2_980
    const endedAtMs = Date.now()
    await watch()?.end()
    await until(() => asked.length === 8)
    assert.ok(Date.now() - endedAtMs >= 15)
    await following.close()
    assert.is(asked.length, 8)
  },
)
s('tells what goes wrong, and begins anew where it is told to [teeth/follow-pods]', async () => {
  const { start, asked, told, lists } = open()
  lists.push(new Error('no such server'))
  const following = start()
  await turn()
  assert.equal([told, asked.length], [[['failed', 'no such server']], 1])
  await following.close()
  const other = open()
  const again = other.start()
  await turn()
  nowMs = 1_000
  other.lists.push([pod('a')])
  again.again()
  await until(() => other.told.length === 2)
  await turn()
  assert.is(other.watch()?.isLeft(), false)
  assert.equal(other.told, [
    ['listed at 0', []],
    ['listed at 1000', ['a']],
  ])
  await again.close()
})
s(
  'leaves a list after five seconds, and a watch five after its own end [teeth/follow-pods]',
  async () => {
    const clocks: (readonly [ms: number, ring: () => void])[] = []
    mock.method(AbortSignal, 'timeout', (ms: number) => {
      const clock = new AbortController()
      clocks.push([ms, () => clock.abort()])
      return clock.signal
    })
    const { start, asked, told, watch } = open()
    const following = start()
    await turn()
    assert.equal(
      clocks.map(([ms]) => ms),
      [5_000, 65_000],
    )
    nowMs = 1_000
    for (const [, ring] of clocks) ring()
    assert.is(watch()?.isLeft(), true)
    await until(() => asked.length === 4)
    assert.equal(told, [
      ['listed at 0', []],
      ['failed', 'aborted'],
      ['listed at 1000', []],
    ])
    await following.close()
  },
)
s('is closed once nothing of it is under way [teeth/follow-pods]', async () => {
  const gate = Promise.withResolvers<void>()
  const { start, hold, told } = open()
  hold(gate.promise)
  const following = start()
  let isClosed = false
  const closing = following.close().then(() => {
    isClosed = true
  })
  await turn()
  assert.not.ok(isClosed)
  gate.resolve()
  await closing
  assert.is(told.length, 1)
})
s.run()
