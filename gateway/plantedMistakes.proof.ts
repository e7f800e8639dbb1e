import { availableParallelism } from 'node:os'
import { readFound } from '../fixtures/books/found.ts'
import { huntMutant } from '../fixtures/books/huntMutant.ts'
import type { Mutant } from '../fixtures/books/mutant.ts'
import { mutants } from '../fixtures/books/mutants.ts'
import { openBooksWorker } from '../fixtures/books/openBooksWorker.ts'
import { type Replay, replayFound } from '../fixtures/books/replayFound.ts'
import { reportFigures } from '../fixtures/proof.ts'
import { isShortProof } from '../fixtures/runner/isShortProof.ts'
import { startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'

/**
 * `npm run -s proof:planted`: each planted mistake has to be found by the machine of `books.proof.ts` within
 * 100,000 steps, and the history that showed it is kept; what is kept is lived again first. `-- words` hunts
 * those whose name has the words; `-- open` those of which no history is kept. PROOF=short: the kept histories
 * alone are lived again.
 */
const [words = ''] = process.argv.slice(2)
const kept = new Map(readFound().map((found) => [found.name, found]))
const postgres = await startPostgres()
const s = suite('planted mistakes')
s.after(async () => {
  await postgres?.close()
})

/** All have their turn before one that failed is told of: a thread that is left would never let us end. */
async function inTurn<item>(items: readonly item[], work: (item: item) => Promise<void>) {
  const queue = items.values()
  const failures: unknown[] = []
  const workOff = async () => {
    for (const item of queue) await work(item).catch((cause) => failures.push(cause))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, workOff))
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'))
}

/** PostgreSQL's need its package. */
const canRun = ({ engine }: { readonly engine?: string | undefined }) =>
  engine !== 'PostgreSQL' || postgres !== undefined

async function replayKept(): Promise<readonly Replay[]> {
  const replays: Replay[] = []
  const honest = await openBooksWorker({ postgres })
  let turn = Promise.resolve()
  const inOrder = {
    ...honest,
    run: (asked: Parameters<typeof honest.run>[0]) => {
      const told = turn.then(() => honest.run(asked))
      turn = told.then(() => undefined)
      return told
    },
  }
  try {
    await inTurn(mutants, async (mutant) => {
      const found = kept.get(mutant.name)
      if (found && canRun(found))
        replays.push(await replayFound(mutant, { found, honest: inOrder, postgres }))
    })
  } finally {
    await honest.close()
  }
  return replays
}

async function hunt(mutant: Mutant): Promise<string | undefined> {
  const { name, invariant, seed, steps, detail, own } = await huntMutant(mutant, { postgres })
  reportFigures(`planted: ${name}`, {
    'found by': invariant ?? 'nothing',
    seed,
    steps,
    as: detail,
    ...(own.length > 0 && { 'broken without it, too': own.join(' ') }),
  })
  return invariant === undefined ? name : undefined
}

if (words === '')
  s(
    `each of the ${kept.size} histories that are kept breaks with its mistake, and only with it [18/mutants-kept]`,
    async () => {
      const replays = await replayKept()
      const names = (all: readonly Replay[]) => all.map(({ name }) => name)
      reportFigures('planted mistakes, from their kept histories', {
        'lived again': replays.length,
        'with another chance': replays.filter(({ chance }) => chance > 0).length,
        'of which none is kept': mutants.length - kept.size,
      })
      assert.equal(names(replays.filter(({ invariant }) => invariant === undefined)), [])
      assert.equal(names(replays.filter(({ own }) => own !== undefined)), [])
    },
  )

if (!isShortProof) {
  const isChosen = ({ name }: Mutant) => (words === 'open' ? !kept.has(name) : name.includes(words))
  const chosen = mutants.filter((mutant) => isChosen(mutant) && canRun(mutant))
  s(`the machine finds ${chosen.length} of ${mutants.length}`, async () => {
    const missed: string[] = []
    await inTurn(chosen, async (mutant) => {
      const name = await hunt(mutant)
      if (name !== undefined) missed.push(name)
    })
    assert.equal(missed, [])
  })
}
s.run()
