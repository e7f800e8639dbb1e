import { setPriority } from 'node:os'
import { Instance } from 'prool'
import { anvilBinary } from './anvilBinary.ts'
import { type ForkGuard, killFork } from './forkGuard.ts'
import { forkParameters } from './forkParameters.ts'
import type { AnvilSettings } from './forkSettings.ts'
import { hiddenLoopback } from './hiddenLoopback.ts'
import { processTable, type Turns } from './processTable.ts'
import { createRpcEndpoint, type RpcEndpoint } from './rpc/rpcBatch.ts'

/** One anvil process that answers for one block of one chain. It is never written to. */
export type Fork = {
  readonly rpc: RpcEndpoint
  /** On the loopback interface or an internal network; to be shown to nobody, since anvil's methods can do anything. */
  readonly url: string
  /** Resolves when the process is gone, whoever ended it. */
  readonly exited: Promise<void>
  readonly isAlive: () => boolean
  /** Absent where it runs elsewhere. */
  readonly readTurns?: (() => Turns | undefined) | undefined
  readonly kill: () => Promise<void>
}

/** A fork that is a process of this machine. */
export type ForkProcess = Fork & { readonly pid: number }

/** Where forks run: as processes of this machine, or in containers. */
export type ForkBackend<fork extends Fork = Fork> = {
  readonly startFork: StartFork<fork>
  /** The address of this process that its forks can reach; rejects as long as none is known. */
  readonly findHost: () => Promise<string>
  /** Of all forks of a chain together; undefined where whoever runs them does not tell. */
  readonly memoryBytes: (chainId: number) => Promise<number | undefined>
  readonly close: () => Promise<void>
}

export type StartFork<fork extends Fork = Fork> = (parameters: {
  readonly chainId: number
  readonly upstreamUrl: string
  readonly blockNumber: bigint
  /** How much everybody else on the machine comes first: 0 (default) to 19. */
  readonly niceness?: number | undefined
  readonly settings?: AnvilSettings | undefined
}) => Promise<fork>

const defaultStartTimeoutMs = 8_000

export function createStartFork({
  guard,
  binary = anvilBinary(),
  startTimeoutMs = defaultStartTimeoutMs,
}: {
  guard: ForkGuard
  binary?: string | undefined
  startTimeoutMs?: number | undefined
}): StartFork<ForkProcess> {
  return async ({ chainId, upstreamUrl, blockNumber, niceness = 0, settings }) => {
    const host = hiddenLoopback()
    // Some of them are flags, and words of flags, that prool's types do not know.
    const parameters = {
      binary,
      host,
      port: 0,
      ...forkParameters({ chainId, upstreamUrl, blockNumber, settings }),
    } as { readonly binary: string }
    // Without options of its own prool takes anvil's `timeout` for its own, and gives up a slow start.
    const instance = Instance.anvil(parameters, {})
    let alive = true
    const exited = new Promise<void>((resolve) => {
      instance.on('exit', () => {
        alive = false
        resolve()
      })
    })
    const port = readPort(instance)
    const starting = instance.start()
    // Whatever happens first, its failure is ours to report; an unheard one would end the gateway.
    starting.catch(() => undefined)
    const { pid } = instance._internal.process
    const kill = async () => {
      if (pid === undefined) return
      if (alive) killFork(pid)
      await exited
      guard.release(pid)
    }
    try {
      if (pid === undefined) throw new Error('anvil has no process id')
      guard.adopt(pid)
      const url = `http://${host}:${await withDeadline(
        starting.then(() => port),
        startTimeoutMs,
      )}`
      if (niceness > 0) lowerPriority(pid, niceness)
      const rpc = createRpcEndpoint({ url })
      // prool keeps everything that the child prints in memory.
      await rpc.batch([{ method: 'anvil_setLoggingEnabled', params: [false] }], {
        timeoutMs: 2_000,
      })
      return {
        rpc,
        url,
        pid,
        exited,
        isAlive: () => alive,
        readTurns: () => processTable.readTurns(pid),
        async kill() {
          await Promise.all([kill(), rpc.close()])
        },
      }
    } catch {
      await kill()
      // The cause is dropped on purpose: anvil prints the upstream's URL into it.
      throw new Error('the fork did not start')
    }
  }
}

function readPort(instance: ReturnType<typeof Instance.anvil>): Promise<string> {
  return new Promise((resolve) => {
    let printed = ''
    const read = (chunk: string) => {
      printed += chunk
      const port = /Listening on [\d.]+:(\d+)/.exec(printed)?.[1]
      if (port === undefined) return
      instance.off('stdout', read)
      resolve(port)
    }
    instance.on('stdout', read)
  })
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('not in time')), timeoutMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/** Of every thread there is: a priority belongs to a thread, and new threads take that of their maker. */
function lowerPriority(pid: number, niceness: number) {
  try {
    for (const thread of processTable.listThreads(pid)) setPriority(thread, niceness)
  } catch {
    // The process may have ended in between, which `exited` tells; a sandbox may forbid it.
  }
}
