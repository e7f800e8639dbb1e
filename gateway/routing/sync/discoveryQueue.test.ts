import type { Address } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createDiscoveryQueue } from './discoveryQueue.ts'

const s = suite('tokens that wait to be looked for')
const tokenOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as Address
const tokens = Array.from({ length: 100 }, (_, n) => tokenOf(n))

/** A queue whose turns run one after the other, as those of a chain's state do. */
function createStand(look: (asked: readonly Address[]) => Promise<void> = async () => undefined) {
  const done: string[] = []
  const besides: (readonly Address[])[] = []
  let tail: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => {
    const run = tail.then(work)
    tail = run.catch(() => undefined)
    return run
  }
  const queue = createDiscoveryQueue({
    inTurn,
    async look(asked) {
      done.push(`${asked.tokens.length} tokens`)
      besides.push(asked.beside)
      await look(asked.tokens)
    },
  })
  const ask = (wanted: readonly Address[], beside: readonly Address[] = []) =>
    queue({ tokens: wanted, beside })
  return { ask, inTurn, done, besides }
}

s('looks for the tokens of many callers in few goes, and refuses above what may wait', async () => {
  const { ask, done } = createStand()
  const answers = tokens.map((token) => ask([token]))
  assert.is(answers.filter((answer) => answer === 'busy').length, 36)
  await Promise.all(answers)
  assert.equal(done, ['16 tokens', '16 tokens', '16 tokens', '16 tokens'])
  assert.is.not(ask([tokenOf(1)]), 'busy')
})

s('looks once for all who ask for the same, however many they are', async () => {
  const { ask, done } = createStand()
  const [one, other] = [tokenOf(1), tokenOf(2)]
  const pairs = [ask([one, other])]
  for (let n = 0; n < 1_000; n += 1) pairs.push(ask([other]))
  assert.not.ok(pairs.includes('busy'))
  await Promise.all(pairs)
  assert.equal(done, ['2 tokens'])
})

s('looks again beside a token that the one before had no part in', async () => {
  const { ask, done, besides } = createStand()
  const [one, other, third] = [tokenOf(1), tokenOf(2), tokenOf(3)]
  await Promise.all([ask([one], [other]), ask([one], [third]), ask([one], [other])])
  assert.equal([done, besides], [['1 tokens'], [[other, third]]])
})

s('lets others have their turn between two goes', async () => {
  const { ask, inTurn, done } = createStand()
  const answers = tokens.slice(0, 48).map((token) => ask([token]))
  const checked = inTurn(async () => void done.push('head'))
  await Promise.all([...answers, checked])
  assert.equal(done, ['16 tokens', 'head', '16 tokens', '16 tokens'])
})

s('tells those whose go failed, and goes on with the next', async () => {
  const bad = tokenOf(0)
  const { ask } = createStand(async (asked) => {
    if (asked.includes(bad)) throw new Error('the node is gone')
  })
  const answers = tokens.slice(0, 32).map(async (token) => ask([token]))
  const settled = await Promise.allSettled(answers)
  assert.is(settled.filter(({ status }) => status === 'rejected').length, 16)
})

s.run()
