import { resolve } from 'node:path'
import { writePack } from '../../simulator/pack/packFile.ts'
import { type ChainRecorder, recordChain } from '../../simulator/pack/recordChain.ts'
import { type Chain, chains } from '../chain/chains.ts'
import { oneNode } from '../chain/oneNode.ts'
import { settingName } from '../chain/settingName.ts'
import { runHotScenario } from './hotScenario.ts'
import { freezeVariable } from './packs/freezeTime.ts'
import { runCommand } from './packs/runCommand.ts'
import { showProgress } from './packs/showProgress.ts'

export const rpcNames = chains.map((chain) => settingName(chain, 'RPC_URL'))

/**
 * `forkyard pack record`: runs the command on recording endpoints, or without one what a lab needs; writes
 * the pack where that ended well. Resolves to the command's exit code.
 */
export async function recordPack(
  { env, print }: { readonly env: NodeJS.ProcessEnv; readonly print: (text: string) => void },
  {
    command,
    out,
    freezeTime,
  }: { readonly command: readonly string[]; readonly out: string; readonly freezeTime: boolean },
): Promise<number> {
  // Before anybody changes the folder.
  const path = resolve(out)
  const recorders = await startRecorders(env, freezeTime)
  try {
    const progress = showProgress({ read: () => sumUp(recorders) })
    const code = await use(recorders, { env, command, print, freezeTime }).finally(progress.end)
    if (code !== 0) {
      process.stderr.write(`forkyard: ${out} is not written: the command ended with ${code}\n`)
      return code
    }
    const packed = recorders.map(({ recorder }) => recorder.toPackedChain())
    await writePack(path, await Promise.all(packed))
    return 0
  } finally {
    await closeAll(recorders)
  }
}

type Recorded = { readonly chain: Chain; readonly recorder: ChainRecorder }

const closeAll = (recorders: readonly Recorded[]) =>
  Promise.all(recorders.map(({ recorder }) => recorder.close()))

async function startRecorders(
  env: NodeJS.ProcessEnv,
  isFrozen: boolean,
): Promise<readonly Recorded[]> {
  const named = chains.flatMap((chain) => {
    const upstreamUrl = env[settingName(chain, 'RPC_URL')]?.split(',')[0]?.trim()
    return upstreamUrl ? [{ chain, upstreamUrl }] : []
  })
  if (named.length === 0) throw new Error(`set ${rpcNames.join(' or ')}`)
  const recorders: Recorded[] = []
  try {
    for (const { chain, upstreamUrl } of named) {
      const { chainId } = chain
      recorders.push({ chain, recorder: await recordChain({ chainId, upstreamUrl, isFrozen }) })
    }
    return recorders
  } catch (error) {
    await closeAll(recorders)
    throw error
  }
}

function sumUp(recorders: readonly Recorded[]) {
  const each = recorders.map(({ recorder }) => recorder.progress())
  return {
    reads: each.reduce((sum, { reads }) => sum + reads, 0),
    bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

async function use(
  recorders: readonly Recorded[],
  {
    env,
    command,
    print,
    freezeTime,
  }: {
    readonly env: NodeJS.ProcessEnv
    readonly command: readonly string[]
    readonly print: (text: string) => void
    readonly freezeTime: boolean
  },
): Promise<number> {
  const nodes = recorders.map(({ chain, recorder }) => oneNode(chain, recorder.url))
  const times = recorders.map(({ recorder }) => Number(recorder.timestampSecs))
  const whole = {
    ...env,
    ...Object.fromEntries(nodes.flatMap((settings) => Object.entries(settings))),
    ...(freezeTime ? { [freezeVariable]: String(Math.max(...times)) } : {}),
  }
  if (command.length > 0) return runCommand(command, whole)
  await runHotScenario({ env: whole, print })
  return 0
}
