import pg from 'pg'
import { startScriptedPostgres } from '../../fixtures/store/scriptedPostgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { toClientConfig } from './openPostgresStore.ts'
import { createPostgresCoordination } from './postgresCoordination.ts'

const s = suite('store/postgresCoordination')
const ending: (() => Promise<void>)[] = []
s.after(async () => {
  for (const end of ending) await end()
})
const isTry = (text: string) => text.includes('pg_try_advisory_lock')
const isTerm = (text: string) => text.includes('INSERT INTO offices')
const isSign = (text: string) => text === 'SELECT true AS won'

async function open() {
  const office = { isFree: true, term: 4, countsTerms: true }
  const server = await startScriptedPostgres(({ text }) => {
    if (isTry(text)) return [{ won: office.isFree }]
    if (!isTerm(text) || !office.countsTerms) return []
    office.term += 1
    return [{ term: office.term }]
  })
  const failures: { readonly message: string; readonly atMs: number }[] = []
  const config = toClientConfig(server.url)
  const pool = new pg.Pool({ ...config, max: 1 })
  const failed = ({ message }: Error) => void failures.push({ message, atMs: performance.now() })
  const coordination = createPostgresCoordination({ config, pool, failed })
  ending.push(async () => {
    await coordination.close()
    await pool.end()
    await server.close()
  })
  const told: string[] = []
  const elect = () => {
    const leadership = coordination.elect({
      name: 'pools',
      won: (term) => told.push(`won ${term}, held: ${leadership.isHeld()}`),
      lost: () => told.push(`lost, held: ${leadership.isHeld()}`),
    })
    return leadership
  }
  return {
    ...coordination,
    elect,
    server,
    office,
    failures,
    told,
    /** When such statements were asked. */
    timesOf: (isWanted: (text: string) => boolean) =>
      server.asked.filter(({ text }) => isWanted(text)).map(({ atMs }) => atMs),
    untilAlone: () => waitFor('its sessions have ended', () => server.countOpen() === 0),
  }
}

s('tries until the office is free, and then shows that it lives until it leaves', async () => {
  const { elect, office, told, timesOf, server, failures, untilAlone } = await open()
  office.isFree = false
  const leadership = elect()
  await waitFor('it has tried twice', () => timesOf(isTry).length >= 2)
  assert.equal([leadership.isHeld(), told], [false, []])
  const [first = 0, second = 0] = timesOf(isTry)
  assert.ok(second - first > 140, `${second - first} ms`)
  office.isFree = true
  await waitFor('it holds the office', leadership.isHeld)
  assert.equal(told, ['won 5, held: true'])
  const tries = timesOf(isTry).length
  await waitFor('it shows that it lives', () => timesOf(isSign).length >= 1)
  assert.ok((timesOf(isSign)[0] ?? 0) - (timesOf(isTerm)[0] ?? 0) > 480)
  await leadership.close()
  assert.equal(told, ['won 5, held: true', 'lost, held: false'])
  // The database itself ends a session that shows none.
  assert.is(server.textsOf(0)[0], 'SET idle_session_timeout = 3000')
  // Asked for again it would be held twice.
  assert.equal(
    [timesOf(isTry).length, timesOf(isTerm).length, server.sessions.length],
    [tries, 1, 1],
  )
  assert.equal(server.asked.find(({ text }) => isTerm(text))?.values, ['pools'])
  await untilAlone()
  assert.equal(failures, [])
})
s('has lost the office with its session, and stands again in another', async () => {
  const { elect, told, server, failures, close } = await open()
  const leadership = elect()
  await waitFor('it holds the office', leadership.isHeld)
  server.sessions[0]?.cut()
  await waitFor('it holds it again', () => told.length === 3)
  assert.equal(told, ['won 5, held: true', 'lost, held: false', 'won 6, held: true'])
  assert.is(server.sessions.length, 2)
  assert.ok(failures.length > 0)
  await close()
  assert.is(told.at(-1), 'lost, held: false')
})
s('holds nothing where the database gives it no term, and says so', async () => {
  const { elect, office, told, failures, timesOf } = await open()
  office.countsTerms = false
  const leadership = elect()
  await waitFor('it has tried again', () => timesOf(isTry).length >= 2)
  assert.equal([leadership.isHeld(), told], [false, []])
  assert.is(failures[0]?.message, 'the database counts no terms')
})
s('hears its channel alone, and of each gap in which it may have missed something', async () => {
  const { subscribe, server, timesOf, untilAlone, failures } = await open()
  const heard: unknown[] = []
  const listening = subscribe('pools of "1"', (payload) => heard.push(payload))
  await waitFor('it listens', () => heard.length === 1)
  assert.is(server.textsOf(0)[0], 'LISTEN "pools of ""1"""')
  server.sessions[0]?.notify('another', 'x')
  server.sessions[0]?.notify('pools of "1"', 'block 7')
  await waitFor('it has heard', () => heard.length === 2)
  assert.equal(heard, [undefined, 'block 7'])
  const isPulse = (text: string) => text === 'SELECT 1'
  await waitFor('it looks whether its session lives', () => timesOf(isPulse).length >= 2)
  const [first = 0, second = 0] = timesOf(isPulse)
  assert.ok(second - first > 480, `${second - first} ms`)
  server.sessions[0]?.cut()
  await waitFor('it listens again', () => heard.length === 3)
  assert.is(heard[2], undefined)
  assert.ok(failures.length > 0)
  const told = failures.length
  await listening.close()
  await untilAlone()
  assert.equal([server.sessions.length, failures.length], [2, told])
})
s('tells all that listen, with nothing to say too', async () => {
  const { publish, server } = await open()
  await publish({ channel: 'pools', payload: 'block 7' })
  await publish({ channel: 'pools' })
  assert.equal(
    server.asked.map(({ text, values }) => [text, ...values]),
    [
      ['SELECT pg_notify($1, $2)', 'pools', 'block 7'],
      ['SELECT pg_notify($1, $2)', 'pools', ''],
    ],
  )
})
s('ends all its sessions when it is closed', async () => {
  const { elect, subscribe, close, told, untilAlone, failures } = await open()
  const leadership = elect()
  let isListening = false
  subscribe('pools', () => {
    isListening = true
  })
  await waitFor('both are there', () => leadership.isHeld() && isListening)
  await close()
  assert.equal(told, ['won 5, held: true', 'lost, held: false'])
  await untilAlone()
  assert.equal(failures, [])
})
s('looks again for a database that is away, a moment later each time', async () => {
  const { elect, server, failures } = await open()
  await server.close()
  const leadership = elect()
  await waitFor('it has looked twice', () => failures.length >= 2)
  const [first, second] = failures
  assert.match(first?.message ?? '', 'ENOENT')
  assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) > 480)
  await leadership.close()
  assert.is(leadership.isHeld(), false)
})
s.run()
