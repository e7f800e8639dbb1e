import { readPack } from '../../../simulator/pack/packFile.ts'
import { type ChainVerdict, verifyChain } from '../../../simulator/pack/verifyChain.ts'
import { createRpcEndpoint } from '../../../simulator/rpc/rpcBatch.ts'

const mostShown = 5

/** `forkyard pack verify`: whether the chains still say what the pack says. Resolves to the exit code. */
export async function verifyPack(
  { print }: { readonly print: (text: string) => void },
  { path, rpcUrls }: { readonly path: string; readonly rpcUrls: readonly string[] },
): Promise<number> {
  const chains = await readPack(path)
  const endpoints = await Promise.all(
    rpcUrls.map(async (rpcUrl) => ({ rpcUrl, chainId: await readChainId(rpcUrl) })),
  )
  let isTrue = true
  for (const chain of chains) {
    const endpoint = endpoints.find(({ chainId }) => chainId === chain.chainId)
    if (!endpoint) {
      print(`chain ${chain.chainId}: not verified, no --rpc serves it\n`)
      isTrue &&= chains.length > 1
      continue
    }
    const verdict = await verifyChain(chain, endpoint)
    print(`chain ${chain.chainId}: ${describe(verdict)}\n`)
    isTrue &&= verdict.block === 'same' && verdict.different.length === 0
  }
  const isAsked = chains.some(({ chainId }) => endpoints.some((each) => each.chainId === chainId))
  return isTrue && isAsked ? 0 : 1
}

function describe({ block, equal, different, unanswered }: ChainVerdict): string {
  if (block === 'unknown') return 'the endpoint does not know the block'
  if (block === 'other') return 'another block stands at that height: record again'
  const shown = different.slice(0, mostShown).map((read) => `\n  different: ${read}`)
  return `${equal} answers equal, ${different.length} different, ${unanswered} not to be had here${shown.join('')}`
}

async function readChainId(url: string): Promise<number | undefined> {
  const rpc = createRpcEndpoint({ url })
  try {
    const [outcome] = await rpc.batch([{ method: 'eth_chainId', params: [] }], {
      timeoutMs: 10_000,
    })
    return outcome?.ok ? Number(outcome.result) : undefined
  } catch {
    // Its message may hold the URL.
    throw new Error('an RPC endpoint given with --rpc does not answer')
  } finally {
    await rpc.close()
  }
}
