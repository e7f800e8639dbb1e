import { setTimeout as wait } from 'node:timers/promises'
import { loadOptional } from '../../runtime/loadOptional.ts'

export type Taken = { readonly allowed: boolean; readonly usedUs: number }

/** Buckets of rate limits that several gateways share. */
export type SharedBuckets = {
  /** Undefined where they do not answer in time: then each gateway is on its own. */
  take(p: { bucket: string; costUs: number; capacityUs: number }): Promise<Taken | undefined>
  isConnected(): boolean
  close(): Promise<void>
}

export type SharedBucketsEvent =
  | { readonly event: 'connected' }
  /** `reason`: the error's name, never its text, which may hold an address. */
  | { readonly event: 'lost'; readonly reason: string }

/**
 * GCRA in Redis' own time, in whole microseconds, as one step. A clock that is set back would close a bucket
 * for as long: it counts as full instead, never as more.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local used = math.min(math.max((tonumber(redis.call('GET', KEYS[1]) or '0') or 0) - now, 0), capacity)
if used + cost > capacity then return {0, used} end
used = used + cost
redis.call('SET', KEYS[1], string.format('%.0f', now + used), 'PX', math.max(1, math.ceil(used / 1000)))
return {1, used}`

const connectWithinMs = 1_000
const reconnectEveryMs = 250
const lookEveryMs = 1_000
const probe = { bucket: 'probe', costUs: 0, capacityUs: 1_000_000 }

// Loaded only where it is used: it costs every process 28 MB.
const loadRedis = () => loadOptional('@redis/client', () => import('@redis/client'))

function createRedisClient(
  { createClient, defineScript }: Awaited<ReturnType<typeof loadRedis>>,
  url: string,
) {
  const take = defineScript({
    SCRIPT: script,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser, bucket: string, costUs: number, capacityUs: number) {
      parser.pushKey(`forkyard:limit:${bucket}`)
      parser.push(String(costUs), String(capacityUs))
    },
    // What the script above returns.
    transformReply: (reply: unknown) => reply as readonly [number, number],
  })
  return createClient({
    url,
    scripts: { take },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // Connections are made anew here, in bounded time whatever the old one waits for.
    socket: { connectTimeout: connectWithinMs, reconnectStrategy: false },
  })
}
type Client = ReturnType<typeof createRedisClient>

class TooSlow extends Error {
  override name = 'TooSlow'
}

async function within<value>(limitMs: number, promise: Promise<value>): Promise<value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow()), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

const destroy = (client: Client) => {
  if (client.isOpen) client.destroy()
}
const nameOf = (cause: unknown) => (cause instanceof Error ? cause.name : 'unknown')

/**
 * Buckets in the Redis at `url`. Starts without it, goes on without it, and takes it up again by itself:
 * a connection that fails, or does not answer within `answerWithinMs`, is dropped and made anew.
 */
export async function openSharedBuckets({
  url,
  answerWithinMs = 250,
  observe,
}: {
  readonly url: string
  readonly answerWithinMs?: number | undefined
  readonly observe: (event: SharedBucketsEvent) => void
}): Promise<SharedBuckets> {
  const redis = await loadRedis()
  const closing = new AbortController()
  let current: Client | undefined

  async function ask(client: Client, { bucket, costUs, capacityUs }: typeof probe): Promise<Taken> {
    const [allowed, usedUs] = await within(answerWithinMs, client.take(bucket, costUs, capacityUs))
    return { allowed: allowed === 1, usedUs }
  }

  function lose(client: Client, cause: unknown) {
    destroy(client)
    if (client !== current) return
    current = undefined
    if (!closing.signal.aborted) observe({ event: 'lost', reason: nameOf(cause) })
  }

  /** Connected is what has run the script: one that only takes connections, or may not write, is not. */
  async function open(): Promise<void> {
    const client = createRedisClient(redis, url)
    client.on('error', (cause: unknown) => lose(client, cause))
    try {
      await within(connectWithinMs, client.connect())
      await ask(client, probe)
      current = client
      observe({ event: 'connected' })
    } catch (cause) {
      destroy(client)
      throw cause
    }
  }

  async function look(client: Client): Promise<void> {
    await ask(client, probe).catch((cause: unknown) => lose(client, cause))
  }

  /** Ends with `closing`. */
  async function attend(): Promise<void> {
    while (!closing.signal.aborted) {
      const client = current
      await (client ? look(client) : open().catch(() => undefined))
      const pauseMs = current ? lookEveryMs : reconnectEveryMs
      await wait(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
  }

  await open().catch((cause: unknown) => observe({ event: 'lost', reason: nameOf(cause) }))
  const attending = attend()
  return {
    async take(p) {
      const client = current
      if (!client) return undefined
      try {
        return await ask(client, p)
      } catch (cause) {
        lose(client, cause)
        return undefined
      }
    },
    isConnected: () => current !== undefined,
    async close() {
      closing.abort()
      await attending
      if (current) destroy(current)
      current = undefined
    },
  }
}
