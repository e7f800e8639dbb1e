import { mock } from 'node:test'
import { numberToHex, pad } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { ForkSettings } from './forkSettings.ts'
import type { Freshness } from './freshness.ts'
import type { Generation } from './generation.ts'
import { createGenerations } from './generations.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { told } from './testing/answers.ts'
import type { BlockId, Upstream } from './upstream.ts'
import type { UpstreamRelay } from './upstreamRelay.ts'

/** Over a chain whose head is set here, on forks that are no processes. */
const s = suite('simulator/generations')
s.before.each(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }))
s.after.each(() => mock.timers.reset())
const chainId = 8453
const arbSys = pad('0x64', { size: 20 })
const turns = async () => {
  for (let n = 0; n < 20; n += 1) await new Promise(setImmediate)
}
const block = (number: bigint): BlockId => ({
  blockNumber: number,
  blockHash: `0x${number}`,
  timestampSecs: number,
})

type Given = { readonly freshness?: Freshness; readonly settings?: ForkSettings }
function open({ freshness, settings }: Given = {}) {
  let [head, nowMs] = [1n, 0]
  let isSilent = false
  let gate: Promise<void> | undefined
  let forkGate: Promise<void> | undefined
  const closed: string[] = []
  const made: { readonly blockNumber: bigint; isAlive: boolean; readonly die: () => void }[] = []
  const upstream: Upstream = {
    async readHead() {
      const shown = head
      await gate
      if (isSilent) throw new Error('the chain does not answer')
      return block(shown)
    },
    readBlock: async ({ blockNumber }) => block(blockNumber),
    readChainId: async () => chainId,
    // The chain runs one contract by itself.
    send: async (calls) => calls.map(({ params: [of] }) => told(of === arbSys ? '0xfe' : '0x60')),
    sendApart: async () => [],
    sendToFirst: async () => 'unsent',
    isAnswering: () => true,
    close: async () => void closed.push('upstream'),
  }
  const relay: UpstreamRelay = {
    open: async () => ({
      forFork: () => ({ url: 'http://127.0.0.1:2', warmed: () => undefined }),
      slowUrl: 'http://127.0.0.1:3',
    }),
    prefetch: async () => undefined,
    hotAccounts: () => [],
    used: () => undefined,
    forget: () => undefined,
    close: async () => void closed.push('relay'),
  }
  const generations = createGenerations(
    {
      async startFork({ blockNumber }) {
        await forkGate
        const place = {
          blockNumber,
          isAlive: true,
          die() {
            place.isAlive = false
            standIn.die()
          },
        }
        const standIn = createStandInFork({
          batch: async () => [told(numberToHex(blockNumber)), told([])],
          isAlive: () => place.isAlive,
        })
        made.push(place)
        return standIn.fork
      },
      upstream,
      relay,
      log: () => undefined,
      now: () => nowMs,
    },
    { chainId, freshness, settings },
  )
  return {
    generations,
    made,
    closed,
    blocks: () => made.map(({ blockNumber }) => blockNumber),
    /** The one made last is gone, and with it all that it was asked. */
    die: () => made.at(-1)?.die(),
    set(given: {
      readonly head?: bigint
      readonly nowMs?: number
      readonly isSilent?: boolean
      readonly gate?: Promise<void>
      readonly forkGate?: Promise<void>
    }) {
      head = given.head ?? head
      nowMs = given.nowMs ?? nowMs
      isSilent = given.isSilent ?? isSilent
      gate = given.gate
      forkGate = given.forkGate
    },
  }
}
async function start(given?: Given) {
  const opened = open(given)
  await opened.generations.start()
  return opened
}
const numberOf = async ({ blockNumber }: Generation) => blockNumber
const thrownBy = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)
const isLost = () => new RpcTransportError('connection')

s('works on what stands while it asks whether that is the head [teeth/generations]', async () => {
  const { generations, set } = await start()
  const gate = Promise.withResolvers<void>()
  set({ gate: gate.promise })
  const seen: bigint[] = []
  let answer: bigint | undefined
  const asked = generations
    .use({}, async ({ blockNumber }) => {
      seen.push(blockNumber)
      return blockNumber
    })
    .then((value) => {
      answer = value
    })
  await turns()
  assert.equal([seen, answer], [[1n], undefined])
  gate.resolve()
  await asked
  assert.equal([seen, answer], [[1n], 1n])
  await generations.close()
})
s('begins nothing on a fork whose place another is taking [20/moving-on]', async () => {
  const { generations, set } = await start()
  const forkGate = Promise.withResolvers<void>()
  set({ head: 2n, forkGate: forkGate.promise })
  const seen: bigint[] = []
  const work = async ({ blockNumber }: Generation) => {
    seen.push(blockNumber)
    return blockNumber
  }
  const first = generations.use({}, work)
  await turns()
  const second = generations.use({}, work)
  await turns()
  assert.equal(seen, [1n])
  forkGate.resolve()
  assert.equal(await Promise.all([first, second]), [2n, 2n])
  assert.equal(seen, [1n, 2n, 2n])
  await generations.close()
})
s('answers from the head where it has moved meanwhile [teeth/generations]', async () => {
  const { generations, set, blocks } = await start()
  set({ head: 2n })
  const seen: bigint[] = []
  const value = await generations.use({}, async ({ blockNumber }) => {
    seen.push(blockNumber)
    if (blockNumber === 1n) throw new Error('of a block that is no more')
    return blockNumber
  })
  assert.equal([value, seen, blocks()], [2n, [1n, 2n], [1n, 2n]])
  await generations.close()
})
s('works on no block before the one that is asked for [teeth/generations]', async () => {
  const { generations, set } = await start()
  set({ head: 2n })
  const seen: bigint[] = []
  await generations.use({ minBlock: 2n }, async ({ blockNumber }) => {
    seen.push(blockNumber)
  })
  assert.equal(seen, [2n])
  assert.is(await generations.use({ minBlock: 2n }, numberOf), 2n)
  await generations.close()
})
s('works again where its fork is lost, four times in all [teeth/generations-lost]', async () => {
  for (const losses of [1, 3, 4]) {
    const { generations, die } = await start()
    let runs = 0
    const error = isLost()
    const outcome = await thrownBy(
      generations.use({}, async () => {
        runs += 1
        if (runs > losses) return 'answered'
        die()
        throw error
      }),
    )
    assert.equal([outcome === error, runs], losses < 4 ? [false, losses + 1] : [true, 4])
    await generations.close()
  }
})
s(
  'waits a moment for the end of a fork that has closed its connections [teeth/generations-lost]',
  async () => {
    const { generations, blocks } = await start()
    let runs = 0
    const asked = generations.use({}, async () => {
      runs += 1
      if (runs === 1) throw isLost()
      return runs
    })
    await turns()
    assert.is(runs, 1)
    mock.timers.tick(50)
    // It was only busy: the one that stands is asked again.
    assert.equal([await asked, blocks()], [2, [1n]])
    await generations.close()
  },
)
s('throws what has nothing to do with a lost fork, at once [teeth/generations-lost]', async () => {
  for (const isStanding of [true, false])
    for (const error of [new RpcTransportError('timeout'), new Error('a mistake of ours')]) {
      const { generations } = isStanding ? await start() : open()
      let runs = 0
      const thrown = await thrownBy(
        generations.use({}, () => {
          runs += 1
          return Promise.reject(error)
        }),
      )
      assert.equal([thrown === error, runs], [true, 1])
      await generations.close()
    }
  // Of a fork that is gone anything may come.
  const { generations, die } = await start()
  let runs = 0
  const value = await generations.use({}, async () => {
    runs += 1
    if (runs > 1) return 'answered'
    die()
    throw new RpcTransportError('garbage')
  })
  assert.equal([value, runs], ['answered', 2])
  await generations.close()
})
s('does nothing more for whoever has gone [teeth/generations-left]', async () => {
  const never = open()
  const reason = new Error('gone')
  const signal = AbortSignal.abort(reason)
  assert.is(await thrownBy(never.generations.use({ signal }, numberOf)), reason)
  assert.equal(never.blocks(), [])
  const leaving = new AbortController()
  let runs = 0
  const error = isLost()
  const lost = never.generations.use({ signal: leaving.signal }, async () => {
    runs += 1
    leaving.abort()
    never.die()
    throw error
  })
  assert.equal([(await thrownBy(lost)) === error, runs], [true, 1])
  await never.generations.close()
})
s(
  'says how it is: what stands, since when, what it works on [teeth/generations-status]',
  async () => {
    const { generations, set, made } = open()
    const none = { ready: false, blockNumber: undefined, ageMs: 0, resting: false, running: 0 }
    assert.equal(generations.status(), none)
    await generations.start()
    set({ nowMs: 700 })
    const gate = Promise.withResolvers<void>()
    const working = generations.use({}, () => gate.promise)
    const standing = { ready: true, blockNumber: 1n, ageMs: 700, resting: false, running: 1 }
    await turns()
    assert.equal(generations.status(), standing)
    gate.resolve()
    await working
    assert.equal(generations.status(), { ...standing, running: 0 })
    const [first] = made
    if (first) first.isAlive = false
    assert.is(generations.status().ready, false)
    await generations.close()
  },
)
s(
  'looks where the head is so often, and no more once it is closed [teeth/generations-polls]',
  async () => {
    for (const [freshness, everyMs] of [
      [{ mode: 'head' }, 250],
      [{ mode: 'interval', everyMs: 1_000 }, 1_000],
    ] as const) {
      const { generations, set, blocks, closed } = await start({ freshness })
      for (const head of [2n, 3n]) {
        set({ head })
        mock.timers.tick(everyMs - 1)
        await turns()
        assert.is(blocks().at(-1), head - 1n)
        mock.timers.tick(1)
        await turns()
        assert.is(blocks().at(-1), head)
      }
      await generations.close()
      assert.equal(closed, ['upstream', 'relay'])
      set({ head: 4n })
      mock.timers.tick(10_000)
      await turns()
      assert.is(blocks().at(-1), 3n)
      const thrown = await thrownBy(generations.use({}, numberOf))
      assert.match(String(thrown), `simulator unavailable on chain ${chainId}: it is shutting down`)
    }
  },
)
s(
  'rests from its last answer on, and wakes for whoever asks [teeth/generations-rest]',
  async () => {
    const freshness = { mode: 'interval', everyMs: 1_000, restAfterMs: 10_000 } as const
    const { generations, set, blocks } = await start({ freshness })
    const gate = Promise.withResolvers<void>()
    const working = generations.use({}, () => gate.promise)
    await turns()
    set({ nowMs: 9_000 })
    gate.resolve()
    await working
    const poll = async (nowMs: number) => {
      set({ nowMs })
      mock.timers.tick(1_000)
      await turns()
      return generations.status().resting
    }
    assert.equal([await poll(18_999), await poll(19_000)], [false, true])
    assert.is(generations.status().ageMs, 0)
    set({ head: 5n })
    assert.is(await poll(20_000), true)
    assert.equal(blocks(), [1n])
    assert.is(await generations.use({}, numberOf), 5n)
    assert.is(generations.status().resting, false)
    await generations.close()
  },
)
s('picks the head as it is, and makes no fork for it [relay/node-block]', async () => {
  const { generations, set, blocks } = await start()
  set({ head: 2n })
  assert.equal(await generations.pickBlock(), { ...block(2n), askedAtMs: 0 })
  assert.is((await generations.pickBlock(2n))?.blockNumber, 2n)
  assert.is(await generations.pickBlock(3n), undefined)
  assert.equal(blocks(), [1n])
  set({ isSilent: true })
  assert.is(await generations.pickBlock(), undefined)
  await generations.close()
})
s(
  'picks the block of the fork that stands, where forks follow by the clock [relay/node-block]',
  async () => {
    const freshness = { mode: 'interval', everyMs: 1_000, restAfterMs: 10_000 } as const
    const { generations, set, blocks } = await start({ freshness })
    set({ head: 2n, nowMs: 9_999 })
    assert.is((await generations.pickBlock())?.blockNumber, 1n)
    assert.is(await generations.pickBlock(2n), undefined)
    // As long as somebody asks, they follow.
    set({ nowMs: 19_998 })
    mock.timers.tick(1_000)
    await turns()
    assert.is((await generations.pickBlock())?.blockNumber, 2n)
    set({ head: 5n, nowMs: 29_998 })
    mock.timers.tick(1_000)
    await turns()
    assert.equal([generations.status().resting, blocks()], [true, [1n, 2n]])
    assert.is((await generations.pickBlock())?.blockNumber, 5n)
    await generations.close()
  },
)
s(
  'picks none where a fork may say otherwise than the node, or none stands [relay/node-block]',
  async () => {
    const without = open()
    assert.is(await without.generations.pickBlock(), undefined)
    await without.generations.close()
    // It stands in for that contract.
    const { generations } = await start({ settings: { precompiles: 'arbOs' } })
    assert.is(await generations.pickBlock(), undefined)
    await generations.close()
  },
)
s("is of a chain's first block, where there is no other [teeth/generations]", async () => {
  const { generations, set } = open()
  set({ head: 0n })
  await generations.start()
  assert.is(await generations.use({}, numberOf), 0n)
  await generations.close()
})
s.run()
