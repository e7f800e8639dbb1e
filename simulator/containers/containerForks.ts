import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import type { Fork, ForkBackend } from '../fork.ts'
import { anvilSettings } from '../forkSettings.ts'
import { createRpcEndpoint, type RpcEndpoint } from '../rpc/rpcBatch.ts'
import { type ForkMethod, type ForkParameter, type StartedFork, waitMs } from './protocol.ts'

/** An exit is reported within a round trip; a supervisor that is silent for this long has lost its forks. */
const waitTimeoutMs = waitMs + 2_000
const startTimeoutMs = 12_000
const connectTimeoutMs = 2_000
/** Whoever asks for the metrics waits for it. */
const memoryTimeoutMs = 1_000

/**
 * Forks in containers, made by a supervisor on an internal network. When the supervisor goes away,
 * so do its forks; a new session begins with the next fork that is asked for. It need not be there yet.
 */
export function createContainerForks({
  url,
}: {
  readonly url: string
}): ForkBackend<ForkInContainer> {
  const living = new Map<string, { readonly chainId: number; readonly end: () => void }>()
  let memory: Promise<Readonly<Record<string, number>> | undefined> | undefined
  let session: Promise<Session> | undefined
  let closed = false

  async function call<T, M extends ForkMethod>(
    supervisor: RpcEndpoint,
    { method, parameter, timeoutMs }: { method: M; parameter: ForkParameter<M>; timeoutMs: number },
  ) {
    const [outcome] = await supervisor.batch([{ method, params: [parameter] }], { timeoutMs })
    if (!outcome?.ok) throw new Error('the supervisor refused')
    return outcome.result as T
  }
  function open(): Promise<Session> {
    const opening = openOne()
    opening.then(follow, () => {
      session = undefined
    })
    return opening
  }
  /** With one of the supervisors behind the name; the session stays with it. */
  async function openOne(): Promise<Session> {
    const supervisor = createRpcEndpoint({ url: await pickOne(url) })
    try {
      const id = await call<string, 'openSession'>(supervisor, {
        method: 'openSession',
        parameter: {},
        timeoutMs: startTimeoutMs,
      })
      return { id, supervisor }
    } catch (error) {
      await supervisor.close()
      throw error
    }
  }
  async function follow({ id: sessionId, supervisor }: Session) {
    try {
      while (!closed) {
        const exited = await call<readonly string[], 'waitForExits'>(supervisor, {
          method: 'waitForExits',
          parameter: { session: sessionId },
          timeoutMs: waitTimeoutMs,
        })
        for (const forkId of exited) living.get(forkId)?.end()
      }
    } catch {
      // Whatever the reason, nobody tells us any more what becomes of the forks.
      session = undefined
      for (const { end } of living.values()) end()
      // It may be closed already, when the backend is.
      await supervisor.close().catch(() => undefined)
    }
  }
  async function readMemory() {
    try {
      // Without a session there are no forks.
      const current = await session
      return (
        current &&
        (await call<Readonly<Record<string, number>>, 'readMemory'>(current.supervisor, {
          method: 'readMemory',
          parameter: { session: current.id },
          timeoutMs: memoryTimeoutMs,
        }))
      )
    } catch {
      // A supervisor that is silent, or older than the question: forks go on without.
      return undefined
    } finally {
      memory = undefined
    }
  }
  return {
    findHost: () => readOwnAddress(new URL(url)),
    async startFork({
      chainId,
      upstreamUrl,
      blockNumber,
      niceness = 0,
      settings = {},
    }): Promise<ForkInContainer> {
      session ??= open()
      const { id: sessionId, supervisor } = await session
      const { port, pathname } = new URL(upstreamUrl)
      const parameter = {
        session: sessionId,
        chainId,
        blockNumber: Number(blockNumber),
        upstreamPort: Number(port),
        upstreamPath: pathname,
        niceness,
        ...anvilSettings(settings),
      }
      const {
        id,
        url: forkUrl,
        pid,
      } = await call<StartedFork, 'startFork'>(supervisor, {
        method: 'startFork',
        parameter,
        timeoutMs: startTimeoutMs,
      })
      const { exited, end, isAlive } = createLife(() => living.delete(id))
      living.set(id, { chainId, end })
      const rpc = createRpcEndpoint({ url: forkUrl })
      return {
        rpc,
        url: forkUrl,
        ...(pid === undefined ? {} : { pid }),
        exited,
        isAlive,
        async kill() {
          if (isAlive()) {
            // Without the supervisor the fork is swept by it, or by its successor.
            await call(supervisor, {
              method: 'stopFork',
              parameter: { session: sessionId, fork: id },
              timeoutMs: startTimeoutMs,
            }).catch(() => undefined)
            end()
          }
          await rpc.close()
        },
      }
    },
    async memoryBytes(chainId) {
      const ofChain = [...living].filter(([, fork]) => fork.chainId === chainId)
      // Nobody who looks at the metrics waits for a supervisor that takes its time to begin a session.
      if (ofChain.length === 0) return 0
      // One answer is that of all chains.
      memory ??= readMemory()
      const held = await memory
      const told = ofChain.flatMap(([id]) => held?.[id] ?? [])
      return told.length === 0 ? undefined : told.reduce((sum, bytes) => sum + bytes, 0)
    },
    async close() {
      closed = true
      const last = await session?.catch(() => undefined)
      await last?.supervisor.close()
    },
  }
}

type Session = { readonly id: string; readonly supervisor: RpcEndpoint }
type ForkInContainer = Fork & Pick<StartedFork, 'pid'>

/** A name may stand for several supervisors: one of them, by its address. */
async function pickOne(url: string): Promise<string> {
  const picked = new URL(url)
  const found = await lookup(picked.hostname, { all: true, family: 4 })
  const one = found[Math.floor(Math.random() * found.length)]
  if (one) picked.hostname = one.address
  return picked.href
}

function createLife(onEnd: () => void) {
  let alive = true
  let resolveExit = () => {}
  const exited = new Promise<void>((resolve) => {
    resolveExit = resolve
  })
  function end() {
    alive = false
    onEnd()
    resolveExit()
  }
  return { exited, end, isAlive: () => alive }
}

/** Of the interface that leads to the supervisor, and so to its forks. */
function readOwnAddress({ hostname, port }: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the simulation supervisor does not answer'))
    const socket = connect({ host: hostname, port: Number(port), timeout: connectTimeoutMs })
    socket.once('connect', () => {
      const { localAddress } = socket
      localAddress ? resolve(localAddress.replace(/^::ffff:/, '')) : fail()
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error('timeout')))
    socket.once('error', fail)
  })
}
