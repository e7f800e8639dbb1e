import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { generateMarket, generateTrades } from './routing/generateMarket.ts'
import { toEnginePool } from './routing/readPools.ts'

type Step = Readonly<Record<'pool' | 'in' | 'out' | 'amountIn' | 'amountOut', string>>
type Answer = {
  readonly in: string
  readonly out: string
  readonly amount: string
  readonly output: string
  readonly gas: number
  readonly legs: number
  readonly ms: number
  readonly gapBps?: number
  readonly route: readonly Step[]
}

const folder = mkdtempSync(join(tmpdir(), 'forkyard-routing-'))
const generated = generateMarket({ pools: 60, tokens: 8, seed: 11 })
const { trades } = generateTrades(generated, 12)
const nowhere = `0x${'ee'.repeat(20)}`
const asked = [...trades, { in: generated.base, out: nowhere, amount: '1000' }]
const files = ['pools', 'trades'].map((name) => join(folder, `${name}.json`)) as [string, string]
writeFileSync(files[0], JSON.stringify({ tokens: {}, pools: generated.records }))
writeFileSync(files[1], JSON.stringify({ base: generated.base, queries: asked }))

function run(...more: readonly string[]): Answer[] {
  const script = join(import.meta.dirname, 'routing.ts')
  const args = [script, '--pools', files[0], '--trades', files[1], '--json', ...more]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.is(status, 0, stderr)
  return JSON.parse(stdout) as Answer[]
}

/** What the route brings when its steps are swapped one after the other in exact integers. */
function follow({ in: tokenIn, out, amount, route }: Answer): bigint {
  const pools = new Map(generated.records.map((record) => [record.id, toEnginePool(record)]))
  const balances = new Map([[tokenIn, BigInt(amount)]])
  const add = (token: string, change: bigint) => {
    const balance = (balances.get(token) ?? 0n) + change
    assert.ok(balance >= 0n, 'nothing is sold before it was bought')
    balances.set(token, balance)
  }
  for (const step of route) {
    const pool = pools.get(step.pool)
    const [i, j] = [step.in, step.out].map((token) => pool?.tokens.indexOf(token) ?? -1)
    const swap = pool?.swap(i ?? -1, j ?? -1, BigInt(step.amountIn))
    assert.is(swap?.amountOut.toString(), step.amountOut)
    pools.delete(step.pool)
    add(step.in, -BigInt(step.amountIn))
    add(step.out, BigInt(step.amountOut))
  }
  for (const [token, balance] of balances)
    assert.ok(token === out || balance === 0n, 'no leftovers')
  return balances.get(out) ?? 0n
}

const s = suite('bench:routing on files')
s.after(() => rmSync(folder, { recursive: true }))

s('answers every trade with a route that executes to its output', () => {
  const started = performance.now()
  const answers = run('--gas-price-wei', '0', '--hops', '3')
  assert.equal(
    answers.map(({ in: tokenIn, out, amount }) => ({ in: tokenIn, out, amount })),
    asked.map(({ in: tokenIn, out, amount }) => ({ in: tokenIn, out, amount })),
  )
  for (const answer of answers) {
    assert.is(answer.legs, answer.route.length)
    if (answer.out === nowhere) assert.equal([answer.output, answer.route], ['0', []])
    else assert.is(follow(answer).toString(), answer.output)
  }
  // What the searches say they took is part of what the whole run took.
  const searchedMs = answers.reduce((sum, { ms }) => sum + ms, 0)
  assert.ok(searchedMs > 0 && searchedMs < performance.now() - started)
  assert.ok(answers.some(({ gapBps }) => gapBps !== undefined && gapBps < 0.1))
})

s('spends fewer legs where gas has a price, and no more hops than it may', () => {
  const [free, dear] = ['0', '10000000000000'].map((price) => run('--gas-price-wei', price))
  const legs = (answers: readonly Answer[] | undefined) =>
    answers?.reduce((sum, answer) => sum + answer.legs, 0) ?? 0
  assert.ok(legs(dear) < legs(free))
  for (const answer of run('--gas-price-wei', '0', '--hops', '1'))
    for (const step of answer.route) assert.equal([step.in, step.out], [answer.in, answer.out])
})

s.run()
