import { Command } from 'commander'
import { readPack } from '../../simulator/pack/packFile.ts'
import { printPack } from '../lab/packs/describePack.ts'
import { openLabPack } from '../lab/packs/labPack.ts'
import { prunePack } from '../lab/packs/prunePack.ts'
import { runCommand } from '../lab/packs/runCommand.ts'
import { verifyPack } from '../lab/packs/verifyPack.ts'
import { recordPack, rpcNames } from '../lab/recordPack.ts'

type Print = (text: string) => void

/** `forkyard pack`: what a scenario needs of real chains, in a file that stands for them. */
export function packCommand(print: Print): Command {
  const { env } = process
  const deps = { env, print }
  const end = async (code: Promise<number>) => {
    process.exitCode = await code
  }
  const pack = new Command('pack').description('record chains into a file; use it in their place')
  pack
    .command('record')
    .description(
      `record what a command reads of the chains of ${rpcNames.join(' and ')}, which it gets in their place; without a command, what a lab and quotes between its tokens need`,
    )
    .requiredOption('--out <file>', 'the pack to write')
    .option('--freeze-time', 'hold the clock of labs at the time of the block, now and in replays')
    .argument('[command...]', 'after --: a command and its arguments')
    .action(
      (command: string[], { out, freezeTime = false }: { out: string; freezeTime?: boolean }) =>
        end(recordPack(deps, { command, out, freezeTime })),
    )
  pack
    .command('replay')
    .description('run a command with the chains of a pack in place of real ones')
    .argument('<file>', 'a pack')
    .argument('<command...>', 'after --: a command and its arguments')
    .action((file: string, command: string[]) => end(replay({ file, command })))
  pack
    .command('info')
    .alias('show')
    .description('check a pack and say what it holds')
    .argument('<file>', 'a pack')
    .action(async (path: string) =>
      printPack({ print, now: Date.now }, { path, chains: await readPack(path) }),
    )
  pack
    .command('verify')
    .description('ask the chains again: whether they still say what the pack says')
    .argument('<file>', 'a pack')
    .requiredOption('--rpc <url...>', 'an archive node of each of its chains')
    .action((path: string, { rpc }: { rpc: string[] }) =>
      end(verifyPack(deps, { path, rpcUrls: rpc })),
    )
  pack
    .command('prune')
    .description('run a command on a pack and keep in it only what that needed')
    .argument('<file>', 'a pack')
    .argument('<command...>', 'after --: a command and its arguments')
    .option('--out <file>', 'write another file')
    .action((path: string, command: string[], { out = path }: { out?: string }) =>
      end(prunePack(deps, { path, out, command })),
    )
  return pack
}

/** Reads that the pack lacks are said on standard error: the output is the command's. */
async function replay({ file, command }: { file: string; command: string[] }) {
  const complain = (text: string) => void process.stderr.write(text)
  const onMissing = (read: string) => complain(`not in the pack: ${read}\n`)
  const pack = await openLabPack({ path: file, print: complain, onMissing })
  return runCommand(command, { ...process.env, ...pack.env }).finally(pack.close)
}
