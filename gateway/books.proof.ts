import type { HistoryTold } from '../fixtures/books/booksWorker.ts'
import { failedSeeds } from '../fixtures/books/failedSeeds.ts'
import { countUp, describeBreach, type Search, searchSeeds } from '../fixtures/books/searchSeeds.ts'
import { reportFigures } from '../fixtures/proof.ts'
import { isShortProof } from '../fixtures/runner/isShortProof.ts'
import { startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'

/**
 * `npm run -s proof:books`: 10,000 histories of 100 steps; `-- 4711` one of them, `-- 4711 200` so many from
 * there. PROOF=short: a minute.
 */
const [seed, count = 1] = process.argv.slice(2).map(Number)
const fresh = seed ?? Math.floor(Math.random() * 2 ** 32)
const seeds = seed === undefined ? (isShortProof ? undefined : 10_000) : count
/** In so many histories all has come about that the invariants are about, but for what is rare. */
const fewest = 300
/** What comes about in few histories (nonces were filled in one of 500) needs so many of them. */
const fewestOfRare = 5_000
/** So many, and it says how far it is. */
const toldEvery = 500
const rare: readonly string[] = ['failed to deploy', 'filled nonces']
const postgres = await startPostgres()
const s = suite('books')
s.after(async () => {
  await postgres?.close()
})

/** At once: a run that is cut off has told what it had found, and how far it was. */
function createTeller(): (one: HistoryTold) => void {
  let done = 0
  return (one) => {
    if (one.breach) process.stdout.write(`${describeBreach(one)}\n`)
    if (one.shrunk) return
    done += 1
    if (done % toldEvery === 0) process.stdout.write(`${done} histories lived\n`)
  }
}

function tell(
  what: string,
  { seeds: done, steps, events, wallMs, cpuMs, broken, tally }: Search,
): void {
  const secs = (ms: number) => Math.round(ms / 1_000)
  const figures = { seeds: done, steps, 'calls and timers': events, broken: broken.length }
  const perSecond = Math.round(steps / (wallMs / 1_000))
  const times = { s: secs(wallMs), 's of CPU': secs(cpuMs), 'steps per second': perSecond }
  reportFigures(what, { ...figures, ...times, ...tally })
}

s('holds in every seed that ever failed [18/failed-seeds]', async () => {
  if (seed !== undefined) return
  const search = await searchSeeds(failedSeeds, { postgres, told: createTeller() })
  tell('books: every seed that ever failed', search)
  assert.is(search.broken.length, 0)
})

s(`holds in fresh seeds from ${fresh} on [18/fresh-seeds]`, async () => {
  const withinMs = isShortProof ? 60_000 : undefined
  const search = await searchSeeds(countUp(fresh, seeds), {
    withinMs,
    postgres,
    told: createTeller(),
  })
  tell(`books: histories from seed ${fresh} on`, search)
  assert.is(search.broken.length, 0)
  // Of a handful not everything comes about.
  if (search.seeds < fewest) return
  const mustBe = (name: string) => search.seeds >= fewestOfRare || !rare.includes(name)
  const never = Object.entries(search.tally).filter(([name, count]) => count === 0 && mustBe(name))
  assert.equal(never, [])
})
s.run()
