import { type Address, numberToHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import type { TokenSample } from './taxBook.ts'
import { createTaxWatch } from './taxWatch.ts'

const s = suite('tax watch')
const token = (n: number): Address => numberToHex(n, { size: 20 })

/** What was begun is over by then. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp({
  changed = [] as readonly Address[],
  fault = undefined as Error | undefined,
} = {}) {
  const old = new Set<string>()
  const seen = {
    measured: [] as TokenSample[][],
    repriced: [] as (readonly string[])[],
    failures: [] as unknown[],
  }
  const taxes = {
    isOld: (address: string) => old.has(address),
    async remeasure(samples: readonly TokenSample[]) {
      for (const { address } of samples) old.delete(address)
      seen.measured.push([...samples])
      if (fault) throw fault
      return samples.map(({ address }) => address).filter((address) => changed.includes(address))
    },
  }
  const known = Array.from({ length: 40 }, (_, n) => token(n))
  const infos = new Map(known.map((address) => [address, { address, symbol: 'T', decimals: 6 }]))
  const sync = {
    tokens: () =>
      infos as ReadonlyMap<string, { address: Address; symbol: string; decimals: number }>,
    async reprice(tokens: readonly string[]) {
      seen.repriced.push(tokens)
      return undefined
    },
  }
  const failed = (error: unknown) => void seen.failures.push(error)
  return { old, seen, known, watch: createTaxWatch({ taxes, sync, failed }) }
}

s('measures what is old among what is traded, and reprices what is another now', async () => {
  const { old, seen, watch } = setUp({ changed: [token(2)] })
  watch.traded([token(1)])
  assert.equal(seen.measured, [], 'nothing is old')
  old.add(token(2)).add(token(3))
  watch.traded([token(1), token(2), token(3)])
  // Under way already.
  watch.traded([token(2)])
  await waitFor('a new price', () => seen.repriced.length > 0)
  assert.equal(seen.repriced, [[token(2)]])
  assert.equal(seen.measured, [
    [token(2), token(3)].map((address) => ({ address, amount: 100_000_000n })),
  ])
})
s('asks for a batch at a time, and begins anew after a failure', async () => {
  const { old, seen, known, watch } = setUp({ fault: new Error('a mistake of ours') })
  for (const address of known) old.add(address)
  watch.traded(known)
  await waitFor('a failure', () => seen.failures.length === 1)
  assert.equal(
    seen.measured.map(({ length }) => length),
    [16],
  )
  // What was not reached is old still.
  await waitFor('another batch', () => {
    watch.traded(known)
    return seen.measured.length === 2
  })
  assert.equal(seen.measured.at(-1)?.[0]?.address, known[16])
})

s('reprices nothing where nothing is another, and is done with what it measured', async () => {
  const { old, seen, watch } = setUp()
  old.add(token(1))
  watch.traded([token(1)])
  await settle()
  assert.equal([seen.measured.length, seen.repriced, seen.failures], [1, [], []])
  watch.traded([token(1), token(2)])
  await settle()
  assert.is(seen.measured.length, 1, 'nothing is old any more')
  old.add(token(3))
  watch.traded([token(3)])
  await settle()
  assert.equal(
    seen.measured.at(-1)?.map(({ address }) => address),
    [token(3)],
  )
})

s.run()
