import { mock } from 'node:test'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { GenerationEvent } from './generation.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { createStandingForks } from './standingForks.ts'

/** Beside forks that are no processes, by a clock that is set here. */
const s = suite('simulator/standingForks')
s.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }))
s.after.each(() => mock.timers.reset())
const chainId = 8453
const turns = async () => {
  for (let n = 0; n < 3; n += 1) await new Promise(setImmediate)
}

function open() {
  const events: string[] = []
  const slow: { readonly blockNumber: bigint; readonly isKilled: () => boolean }[] = []
  let needs = 0
  const forks = createStandingForks(
    {
      async startSlowFork(blockNumber) {
        const made = createStandInFork()
        slow.push({ blockNumber, isKilled: made.isKilled })
        return made.fork
      },
      log({ event, chainId: of, blockNumber }: GenerationEvent) {
        assert.is(of, chainId)
        events.push(`${event} ${blockNumber}`)
      },
      onNeedOfAnother() {
        needs += 1
      },
    },
    { chainId },
  )
  return {
    forks,
    events,
    slow,
    needs: () => needs,
    install(blockNumber: bigint, given?: Parameters<typeof createStandInFork>[0]) {
      const made = createStandInFork(given)
      const place = { blockNumber, blockHash: `0x${blockNumber}`, timestampSecs: 1n } as const
      forks.install({ fork: made.fork, overrides: {} }, { ...place, askedAtMs: 0 })
      const live = forks.current()
      if (!live) throw new Error('it is the current one')
      return { ...made, live }
    },
    /** Work that ends when it is told to. */
    run(live: ReturnType<typeof forks.current> & object) {
      const gate = Promise.withResolvers<void>()
      const done = forks.run(live, async ({ blockNumber }) => {
        await gate.promise
        return blockNumber
      })
      return {
        async finish() {
          gate.resolve()
          return done
        },
      }
    },
  }
}

s(
  'lets what runs on a fork that was replaced come to its end, and ends it then [teeth/forks-standing]',
  async () => {
    for (const replace of ['install', 'drop'] as const) {
      const { forks, install, run } = open()
      const { live, isKilled } = install(1n)
      const [first, second] = [run(live), run(live)]
      if (replace === 'install') install(2n)
      else forks.dropCurrent()
      assert.is(forks.current()?.blockNumber, replace === 'install' ? 2n : undefined)
      assert.is(await first.finish(), 1n)
      await turns()
      assert.not.ok(isKilled())
      assert.is(await second.finish(), 1n)
      await turns()
      assert.ok(isKilled())
      await forks.close()
    }
  },
)
s(
  'ends one that nobody uses at once, and the current one never for that [teeth/forks-standing]',
  async () => {
    const { install, run, forks } = open()
    const [idle, current] = [install(1n), install(2n)]
    await run(current.live).finish()
    await turns()
    assert.equal([idle.isKilled(), current.isKilled()], [true, false])
    const kills = idle.kills()
    await forks.close()
    assert.is(idle.kills(), kills, 'it is forgotten')
  },
)
s('waits seven seconds for what runs on it, and no longer [teeth/forks-standing]', async () => {
  const { install, run, forks } = open()
  const { live, isKilled } = install(1n)
  void run(live)
  forks.dropCurrent()
  mock.timers.tick(6_999)
  await turns()
  assert.not.ok(isKilled())
  mock.timers.tick(1)
  await turns()
  assert.ok(isKilled())
})
s(
  'asks for another, once, where something in it does not come to an end [teeth/forks-standing]',
  async () => {
    const { install, forks, events, needs } = open()
    const { live, isKilled } = install(1n)
    const fail = (error: Error) => forks.run(live, () => Promise.reject(error)).catch((of) => of)
    for (const error of [new RpcTransportError('connection'), new Error('timeout')]) {
      assert.is(await fail(error), error)
      assert.equal([needs(), live.condemned], [0, false])
    }
    for (let n = 0; n < 2; n += 1) await fail(new RpcTransportError('timeout'))
    assert.equal([events, needs(), live.condemned], [['fork_stuck 1'], 1, true])
    assert.not.ok(isKilled(), 'it goes on until another one stands')
    install(2n)
    await turns()
    assert.ok(isKilled())
    await forks.close()
  },
)
s(
  'asks for another where the current one has died, and for none where it was replaced [teeth/forks-standing]',
  async () => {
    const { install, run, forks, events, needs } = open()
    const { die, live } = install(1n)
    die()
    await turns()
    assert.equal([forks.current(), events, needs()], [undefined, ['fork_lost 1'], 1])
    const replaced = install(2n)
    const work = run(replaced.live)
    install(3n)
    replaced.die()
    await turns()
    assert.equal([forks.current()?.blockNumber, needs(), live.retired], [3n, 1, false])
    await work.finish()
    await forks.close()
    await turns()
    assert.equal([events, needs()], [['fork_lost 1'], 1])
  },
)
s('ends one that answers no ping, and pings none that is over [teeth/forks-standing]', async () => {
  const { install, forks, events } = open()
  let pings = 0
  const { isKilled } = install(1n, {
    batch() {
      pings += 1
      return Promise.reject(new RpcTransportError('timeout'))
    },
  })
  for (let n = 0; n < 10; n += 1) {
    mock.timers.tick(300)
    await turns()
  }
  assert.equal(events, ['fork_stuck 1', 'fork_wedged 1', 'fork_lost 1'])
  assert.ok(isKilled())
  const { length } = events
  let later = 0
  install(2n, {
    async batch() {
      later += 1
      return []
    },
  })
  mock.timers.tick(300)
  await turns()
  await forks.close()
  mock.timers.tick(3_000)
  await turns()
  assert.equal([pings, later, events.length], [2, 1, length])
})
s(
  'ends all that stand when it is closed, and those for suspects with them [teeth/forks-standing]',
  async () => {
    const { install, run, forks, slow, events } = open()
    const draining = install(1n)
    void run(draining.live)
    await draining.live.slowFork()
    const current = install(2n)
    await current.live.slowFork()
    assert.equal(
      slow.map(({ blockNumber }) => blockNumber),
      [1n, 2n],
    )
    await forks.close()
    await turns()
    assert.equal(
      [draining, current, ...slow].map(({ isKilled }) => isKilled()),
      [true, true, true, true],
    )
    assert.equal([events, forks.current()], [[], undefined])
  },
)
s.run()
