import { connect, createServer, type Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { startLabChain } from '../chains.ts'
import { anyChainPorts } from '../ports.ts'
import { chainPort, openSharedFiles } from './sharedFiles.ts'

const lookEveryMs = 1_000
const answerWithinMs = 3_000
/** A busy chain may miss one look. */
const mostMisses = 4

/**
 * One chain of the lab in a container of its own: reached by whoever shares a network with it, published
 * nowhere. Ends when its anvil does not answer any more; the engine then starts it again.
 */
export async function runChain({
  chainId,
  dir,
  env,
  print,
  stopped,
}: {
  readonly chainId: number
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  readonly stopped: Promise<unknown>
}): Promise<'stopped' | 'died'> {
  const files = openSharedFiles(dir)
  files.putChain(chainId, undefined)
  const chain = await startLabChain({
    chainId,
    // Inside, any port will do.
    env: { ...env, ...anyChainPorts },
    step: (message) => print(`${message}\n`),
  })
  const door = await openDoor(new URL(chain.manifest.rpcUrl))
  const { manifest, forked } = chain
  files.putChain(chainId, { manifest, forked, env: chain.env })
  print(`chain ${chainId} is ready\n`)
  const end = await Promise.race([
    stopped.then(() => 'stopped' as const),
    watch(manifest.rpcUrl).then(() => 'died' as const),
  ])
  door.close()
  await chain.close()
  return end
}

/** Passes connections on to the chain, which itself listens on loopback only. */
async function openDoor({ hostname, port }: URL): Promise<Server> {
  const server = createServer((caller) => {
    const chain = connect(Number(port), hostname)
    chain.on('error', () => caller.destroy())
    caller.on('error', () => chain.destroy())
    caller.on('close', () => chain.destroy())
    caller.pipe(chain).pipe(caller)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(chainPort, '0.0.0.0', resolve)
  })
  return server
}

/** Resolves when the chain has not answered several times in a row. */
async function watch(rpcUrl: string): Promise<void> {
  const rpc = createRpc(rpcUrl)
  const looks = async (): Promise<boolean> => {
    const late = wait(answerWithinMs, false, { ref: false })
    const answer = rpc('eth_chainId').then(
      () => true,
      () => false,
    )
    return Promise.race([answer, late])
  }
  for (let misses = 0; misses < mostMisses; ) {
    await wait(lookEveryMs)
    misses = (await looks()) ? 0 : misses + 1
  }
}
