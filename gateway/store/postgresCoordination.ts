import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Coordination } from './coordination.ts'
import { toLockKey } from './postgresEngine.ts'

/** How often a holder and a listener make sure that their sessions still live. */
const pulseMs = 500
/** How often a candidate tries: what a takeover takes at most, its own work aside. */
const tryMs = 150
/** A holder that is silent for this long is no longer one. */
const silentMs = 3_000

type Deps = {
  readonly config: pg.ClientConfig
  readonly pool: pg.Pool
  readonly failed: (cause: Error) => void
}

type Session = { readonly closed: Promise<void>; close(): Promise<void> }

/**
 * Keeps a connection of its own alive until closed. `live` gets each new one and works on it until it
 * breaks; the next comes after a pulse.
 */
function keepSession(
  { config, failed }: Deps,
  live: (client: pg.Client, signal: AbortSignal) => Promise<void>,
): Session {
  const ending = new AbortController()
  async function runOne(): Promise<void> {
    const client = new pg.Client({ ...config, query_timeout: 3_000 })
    const broken = new AbortController()
    client.on('error', (cause) => {
      failed(cause)
      broken.abort()
    })
    client.on('end', () => broken.abort())
    try {
      await client.connect()
      await live(client, AbortSignal.any([ending.signal, broken.signal]))
    } catch (cause) {
      if (!ending.signal.aborted) failed(cause as Error)
    } finally {
      await client.end().catch(failed)
    }
  }
  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await runOne()
      await pause(ending.signal)
    }
  }
  const closed = run()
  return {
    closed,
    async close() {
      ending.abort()
      await closed
    },
  }
}

/** A pulse, or less when the signal comes first. */
async function pause(signal: AbortSignal, ms = pulseMs): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined)
}

/** In the session that holds the lock: one whose session has ended begins none. */
async function beginTerm(client: pg.Client, name: string): Promise<number> {
  const { rows } = await client.query<{ term: number }>(
    `INSERT INTO offices (name, term) VALUES ($1, 1)
     ON CONFLICT (name) DO UPDATE SET term = offices.term + 1 RETURNING term`,
    [name],
  )
  const [row] = rows
  if (!row) throw new Error('the database counts no terms')
  return row.term
}

/**
 * Leaderships are advisory locks, each held by a session of its own: they end with the session, so the next
 * candidate holds one within a pulse of a holder's death. Messages are PostgreSQL's LISTEN and NOTIFY.
 */
export function createPostgresCoordination(deps: Deps): Coordination & { close(): Promise<void> } {
  const sessions = new Set<Session>()

  function keep(live: (client: pg.Client, signal: AbortSignal) => Promise<void>) {
    const session = keepSession(deps, live)
    sessions.add(session)
    return {
      async close() {
        sessions.delete(session)
        await session.close()
      },
    }
  }

  return {
    elect({ name, won, lost }) {
      let held = false
      const key = toLockKey(`office ${name}`)
      const session = keep(async (client, signal) => {
        // A holder that hangs must not keep its leadership: without a sign of life its session ends.
        await client.query(`SET idle_session_timeout = ${silentMs}`)
        try {
          while (!signal.aborted) {
            const { rows } = await client.query<{ won: boolean }>(
              // Asked again by its holder it would be taken twice, so the holder only shows signs of life.
              held ? 'SELECT true AS won' : `SELECT pg_try_advisory_lock(${key}) AS won`,
            )
            if (!held && rows[0]?.won) {
              const term = await beginTerm(client, name)
              held = true
              won?.(term)
            }
            await pause(signal, held ? pulseMs : tryMs)
          }
        } finally {
          const wasHeld = held
          held = false
          if (wasHeld) lost?.()
        }
      })
      return { isHeld: () => held, close: session.close }
    },
    async publish({ channel, payload = '' }) {
      await deps.pool.query('SELECT pg_notify($1, $2)', [channel, payload])
    },
    subscribe(channel, heard) {
      return keep(async (client, signal) => {
        client.on('notification', (message) => {
          if (message.channel === channel) heard(message.payload ?? '')
        })
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
        heard(undefined)
        while (!signal.aborted) {
          await client.query('SELECT 1')
          await pause(signal)
        }
      })
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()))
      sessions.clear()
    },
  }
}
