import { assert, suite } from '../../fixtures/test.ts'
import { createPoolMoves } from './poolMoves.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { advanceState, createSyncedState, type SyncedState } from './sync/syncedState.ts'
import { near } from './testing/near.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('how pools move')
const minute = 60_000
const [one, other] = [fakeAddress(1), fakeAddress(2)]
const pool = (id: `0x${string}`, price: number): PairRecord => ({
  id,
  address: id,
  dex: 'd',
  protocol: 'uniswap_v2',
  tokens: [fakeAddress(8), fakeAddress(9)],
  feePips: 3_000,
  changedBlock: 1n,
  swapsSeen: 0,
  isFresh: [false, false],
  reserve0: 10n ** 18n,
  reserve1: BigInt(Math.round(price * 1e12)) * 10n ** 6n,
})
const head = { number: 1n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const

function createStand() {
  const clock = { ms: 7 }
  const moves = createPoolMoves({ now: () => clock.ms })
  let state: SyncedState = createSyncedState(
    { taxOf: () => 0 },
    { head, records: [pool(one, 1), pool(other, 1)] },
  )
  return {
    clock,
    moves,
    look: () => moves.look(state),
    move(id: `0x${string}`, price: number) {
      state = advanceState({ taxOf: () => 0 }, { state, head, changed: [pool(id, price)] })
      moves.look(state)
    },
    leave(id: string) {
      state = advanceState({ taxOf: () => 0 }, { state, head, changed: [], gone: new Set([id]) })
      moves.look(state)
    },
  }
}

s('nothing is known before somebody looked, or of who did not move [teeth/moves]', () => {
  const { moves, look, clock } = createStand()
  assert.equal([moves.bpsPerMinute(one), moves.observedMs()], [0, 0])
  look()
  clock.ms += 500
  assert.equal(
    [moves.bpsPerMinute(one), moves.bpsPerMinute('nobody'), moves.observedMs()],
    [0, 0, 500],
  )
})
s('moves count by their squares, over a minute at least [teeth/moves]', () => {
  const { moves, look, move, clock } = createStand()
  look()
  move(one, 1.01)
  // One move in no time is one a minute.
  near(moves.bpsPerMinute(one), Math.log(1.01) * 10_000, 1e-6)
  assert.is(moves.bpsPerMinute(other), 0)
  move(one, 1)
  near(moves.bpsPerMinute(one), Math.sqrt(2) * Math.log(1.01) * 10_000, 1e-6)
  move(one, 1)
  near(moves.bpsPerMinute(one), Math.sqrt(2) * Math.log(1.01) * 10_000, 1e-6)
  // After ten minutes both are a third, and as much time counts.
  clock.ms += 10 * minute
  const [kept, counted] = [Math.exp(-1), 10 * (1 - Math.exp(-1))]
  near(
    moves.bpsPerMinute(one),
    Math.sqrt((2 * Math.log(1.01) ** 2 * kept) / counted) * 10_000,
    1e-6,
  )
  move(one, 1.02)
  near(
    moves.bpsPerMinute(one),
    Math.sqrt((2 * Math.log(1.01) ** 2 * kept + Math.log(1.02) ** 2) / counted) * 10_000,
    1e-6,
  )
})
s('how far a price moves is told by what it was before [teeth/moves]', () => {
  const { moves, move } = createStand()
  move(one, 4)
  move(one, 5)
  near(moves.bpsPerMinute(one), Math.log(1.25) * 10_000, 1e-6)
})
s('a steady pace is what it is, however long somebody looked [teeth/moves]', () => {
  const { moves, look, move, clock } = createStand()
  look()
  for (let n = 1; n <= 600; n += 1) {
    clock.ms += minute / 10
    move(one, n % 2 === 0 ? 1 : 1.001)
  }
  near(moves.bpsPerMinute(one), Math.sqrt(10) * Math.log(1.001) * 10_000, 0.01)
  assert.is(moves.observedMs(), 60 * minute)
})
s('who came or went has not moved, and is forgotten [teeth/moves]', () => {
  const { moves, look, move, leave } = createStand()
  look()
  move(fakeAddress(3), 5)
  assert.is(moves.bpsPerMinute(fakeAddress(3)), 0)
  for (const id of [one, other, fakeAddress(3)] as const) move(id, 7)
  leave(one)
  leave(other)
  assert.equal([moves.bpsPerMinute(one), moves.bpsPerMinute(fakeAddress(3)) > 0], [0, true])
})
s.run()
