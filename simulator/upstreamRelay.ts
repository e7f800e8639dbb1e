import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address } from 'viem'
import { accountReads, createBlockReads, notAnswered } from './blockReads.ts'
import { createHotSet, type HotAccount } from './hotSet.ts'
import { createPace } from './pace.ts'
import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'
import { type BlockId, toTag, type Upstream } from './upstream.ts'

/**
 * Stands between the forks and the real chain, in this process. So no fork ever knows the chain's URL
 * (which is a secret, shows up in anvil's errors and in `ps`), cold reads are known by name, and what
 * they were is fetched ahead for the next fork in a few batches instead of one slow read after the other.
 */
export type UpstreamRelay = {
  /** Listens from the first time on; rejects as long as there is no address that forks reach. */
  readonly open: () => Promise<UpstreamDoors>
  /** Fetches what is not yet known of the hot set as of a block. */
  readonly prefetch: (block: BlockId) => Promise<void>
  readonly hotAccounts: () => readonly HotAccount[]
  /**
   * Somebody simulates now, with these addresses of theirs: nothing is fetched ahead while nobody does, and
   * whoever comes after a pause does not wait for what others will want.
   */
  readonly used: (named: readonly Address[]) => void
  /** Nobody else will want these. */
  readonly forget: (addresses: readonly Address[]) => void
  readonly close: () => Promise<void>
}

export type UpstreamDoors = {
  /** Another one for each fork. */
  readonly forFork: () => ForkDoor
  /** The same for forks of what may be hostile: their reads are paced, and make nothing hot. */
  readonly slowUrl: string
}

export type ForkDoor = {
  /** What a fork takes for its upstream. */
  readonly url: string
  /**
   * What it reads from now on somebody's question has missed, but for what its warm-up is still to fetch; until
   * then all was its own. Told again, without, when that is over, whatever came of it, or the fork is gone.
   */
  readonly warmed: (unfetched?: readonly HotAccount[]) => void
}

type Envelope = {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const maxBodyBytes = 4 * 1024 * 1024
const callsPerBatch = 200
/** Whoever comes after so long a pause finds a cold fork. */
const idleAfterMs = 30_000
/** An honest candidate needs some dozens of cold reads; only a bomb goes on for thousands. */
const slowPace = { burst: 400, perSecond: 100 }

export function createUpstreamRelay({
  upstream,
  findHost,
  knownTokens = [],
  now = () => performance.now(),
}: {
  upstream: Upstream
  /** The address that the forks reach, and nobody else should. */
  findHost: () => Promise<string>
  /** Of everybody, and so nobody's in particular. */
  knownTokens?: readonly Address[] | undefined
  now?: (() => number) | undefined
}): UpstreamRelay {
  const known = new Set(knownTokens.map((token) => token.toLowerCase()))
  const hot = createHotSet({ isAlwaysNoted: (address) => known.has(address), now })
  let usedAtMs = Number.NEGATIVE_INFINITY
  const listWanted = () => (now() - usedAtMs < idleAfterMs ? hot.list() : [])
  const reads = createBlockReads({ upstream })
  const secretPath = `/${randomBytes(16).toString('hex')}`
  const slowPath = `${secretPath}/slow`
  const forkPath = `${secretPath}/fork/`
  let forks = 0
  /** Of each fork what its warm-up may read. */
  const ownReads = new Map<string, (call: RpcCall) => boolean>()
  const pace = createPace(slowPace)

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const { url: path = '' } = request
    const isSlow = path === slowPath
    if (request.method !== 'POST' || !(isSlow || path.startsWith(forkPath))) {
      response.writeHead(404).end()
      return
    }
    const body: unknown = JSON.parse(await readBody(request))
    const envelopes = (Array.isArray(body) ? body : [body]).map(readEnvelope)
    if (isSlow) await pace(envelopes.length)
    else noteMissed(path, envelopes)
    const outcomes = await reads
      .answer(envelopes, { isKept: !isSlow })
      .catch(() => envelopes.map(() => notAnswered))
    const answers = outcomes.map((outcome, index) => toAnswer(envelopes[index]?.id, outcome))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  }

  function noteMissed(path: string, calls: readonly RpcCall[]) {
    const isOwn = ownReads.get(path)
    for (const call of calls) if (!isOwn?.(call)) hot.note(call)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.writeHead(400).end())
  })
  server.keepAliveTimeout = 60_000

  async function openOnce(): Promise<UpstreamDoors> {
    const host = await findHost()
    await listen(server, host)
    const { port } = server.address() as AddressInfo
    const url = `http://${host}:${port}`
    return { forFork: () => openDoor(url), slowUrl: url + slowPath }
  }
  function openDoor(url: string): ForkDoor {
    const path = `${forkPath}${forks++}`
    ownReads.set(path, () => true)
    return {
      url: url + path,
      warmed(unfetched) {
        if (!unfetched) ownReads.delete(path)
        else if (ownReads.has(path)) ownReads.set(path, isReadOf(unfetched))
      },
    }
  }
  let opening: Promise<UpstreamDoors> | undefined
  return {
    open() {
      opening ??= openOnce().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    async prefetch(block) {
      reads.open(block)
      const calls = listWanted().flatMap((account) => readsOf(account, toTag(block.blockNumber)))
      await Promise.all(
        chunk(calls, callsPerBatch).map((part) =>
          reads.answer(part, { isKept: true, purpose: 'warmUp' }),
        ),
      )
    },
    hotAccounts: listWanted,
    used(named) {
      usedAtMs = now()
      hot.ignore(named)
    },
    forget: hot.forget,
    async close() {
      await opening?.catch(() => undefined)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** anvil leaves out empty parameters. */
function readEnvelope({ id, method, params }: Partial<Envelope>): Envelope {
  return { id, method: String(method), params: Array.isArray(params) ? params : [] }
}

function readsOf({ address, slots }: HotAccount, tag: string): readonly RpcCall[] {
  // anvil asks for an account in one call or in three, whichever answers sooner.
  return [
    ...accountReads.map((method) => ({ method, params: [address, tag] })),
    ...slots.map((slot) => ({ method: 'eth_getStorageAt', params: [address, slot, tag] })),
  ]
}

/** Whether a call is one by which a fork fetches these. */
function isReadOf(accounts: readonly HotAccount[]): (call: RpcCall) => boolean {
  const slotsOf = new Map<unknown, ReadonlySet<unknown>>(
    accounts.map(({ address, slots }) => [address, new Set(slots)]),
  )
  return ({ method, params: [address, slot] }) => {
    const slots = slotsOf.get(String(address).toLowerCase())
    return slots !== undefined && (method !== 'eth_getStorageAt' || slots.has(slot))
  }
}

function toAnswer(id: unknown, outcome: RpcOutcome) {
  if (outcome.ok) return { jsonrpc: '2.0', id, result: outcome.result ?? null }
  return { jsonrpc: '2.0', id, error: { code: outcome.code, message: outcome.message } }
}

function chunk<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

function listen(server: Server, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBodyBytes) throw new Error('too large')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}
