import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createBlockClock } from './blockClock.ts'

const s = suite("when a chain's next block is due")
const [usualMs, leastMs, pollMs] = [2_000, 100, 250]

/** A chain that was followed for a minute at its pace. */
function follow() {
  const clock = createBlockClock({ usualMs, leastMs })
  const chain = { ms: 0, head: 100, looks: 0, longestMs: 0 }
  const waitMs = () => (clock.lookAtMs(pollMs) ?? chain.ms + pollMs) - chain.ms
  const look = (number: number, fork = 0) => {
    chain.looks += 1
    chain.head = number
    clock.note(
      { number: BigInt(number), hash: numberToHex(4n * BigInt(number) + BigInt(fork)) },
      chain.ms,
    )
    chain.longestMs = Math.max(chain.longestMs, waitMs())
    chain.ms += Math.max(pollMs, waitMs())
  }
  for (let time = 0; time < 30; time += 1) look(100 + Math.floor(chain.ms / usualMs))
  return Object.assign(chain, { look })
}

for (const [what, blocks, standsFor] of [
  ['after it stood still', 10_000, 6],
  ['at once', 10_000, 0],
  ['by more than anybody counts', 10 ** 12, 6],
] as const)
  s(`is looked for within a block when it leaps ${what} [nodes/clock-leap]`, () => {
    const chain = follow()
    for (let time = 0; time < standsFor; time += 1) chain.look(chain.head)
    const before = chain.head
    for (const number of [before + blocks, before + blocks, before, before + 1]) {
      chain.look(number)
      assert.ok(chain.longestMs <= 1.25 * usualMs, `${chain.longestMs} ms`)
    }
  })

s('is looked for some times a block, whatever a node names [nodes/clock-lies]', () => {
  const chain = follow()
  const names = [
    () => 0,
    () => Math.max(0, chain.head - 1),
    () => chain.head,
    () => Math.min(chain.head, 10 ** 9) + 1,
    () => Math.min(chain.head, 10 ** 9) + 7,
    () => Number.MAX_SAFE_INTEGER,
  ]
  for (let time = 0; time < 20_000; time += 1) {
    const name = names[(time * time * 7 + (time >> 3)) % names.length] ?? (() => 0)
    const before = chain.ms
    chain.look(name(), time % 3)
    assert.ok(chain.ms - before <= 1.25 * usualMs, `${chain.ms - before} ms`)
  }
})
s.run()
