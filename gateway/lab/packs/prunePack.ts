import { writePack } from '../../../simulator/pack/packFile.ts'
import { pruneChain } from '../../../simulator/pack/pruneChain.ts'
import { openLabPack } from './labPack.ts'
import { runCommand } from './runCommand.ts'

/**
 * `forkyard pack prune`: runs the command on the pack and keeps what it needed. Resolves to the command's
 * exit code; where it failed, or missed something, the pack stays as it is.
 */
export async function prunePack(
  { env, print }: { readonly env: NodeJS.ProcessEnv; readonly print: (text: string) => void },
  { path, out, command }: { path: string; out: string; command: readonly string[] },
): Promise<number> {
  const pack = await openLabPack({
    path,
    print,
    onMissing: (read) => print(`not in the pack: ${read}\n`),
  })
  const code = await runCommand(command, { ...env, ...pack.env }).finally(pack.close)
  if (code !== 0) return code
  if (pack.missing().length > 0) throw new Error('the pack lacks reads: record it again')
  const count = (chains: typeof pack.chains) =>
    chains.reduce((sum, { answers }) => sum + answers.size, 0)
  const pruned = pack.chains.map((chain) => pruneChain(chain, pack.used(chain.chainId)))
  await writePack(out, pruned)
  print(`${out}: ${count(pruned)} of ${count(pack.chains)} answers are needed\n`)
  return 0
}
