import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { Command } from 'commander'
import { readPack, writePack } from '../../simulator/pack/packFile.ts'
import { type ChainRecorder, recordChain } from '../../simulator/pack/recordChain.ts'
import { chains } from '../chain/chains.ts'
import { runHotScenario } from '../lab/hotScenario.ts'
import { openLabPack } from '../lab/labPack.ts'
import { printTable } from './printTable.ts'

type Print = (text: string) => void

/** `forkyard pack`: what a scenario needs of real chains, in a file that stands for them. */
export function packCommand(print: Print): Command {
  const pack = new Command('pack').description('record chains into a file; use it in their place')
  pack
    .command('record')
    .description(
      `record what a command reads of the chains of ${chains.map(({ envPrefix }) => `${envPrefix}_RPC_URL`).join(' and ')}, which it gets in their place; without a command, what a lab and quotes between its tokens need`,
    )
    .requiredOption('--out <file>', 'the pack to write')
    .argument('[command...]', 'after --: a command and its arguments')
    .action((command: string[], { out }: { out: string }) => record(print, { command, out }))
  pack
    .command('replay')
    .description('run a command with the chains of a pack in place of real ones')
    .argument('<file>', 'a pack')
    .argument('<command...>', 'after --: a command and its arguments')
    .action((file: string, command: string[]) => replay(print, { file, command }))
  pack
    .command('show')
    .description('check a pack and say what it holds')
    .argument('<file>', 'a pack')
    .action((file: string) => show(print, file))
  return pack
}

async function record(print: Print, { command, out }: { command: string[]; out: string }) {
  const named = chains.flatMap(({ chainId, envPrefix }) => {
    const name = `${envPrefix}_RPC_URL`
    const upstreamUrl = process.env[name]?.split(',')[0]?.trim()
    return upstreamUrl ? [{ chainId, name, upstreamUrl }] : []
  })
  if (named.length === 0)
    throw new Error(`set ${chains.map(({ envPrefix }) => `${envPrefix}_RPC_URL`).join(' or ')}`)
  const recorders: { name: string; recorder: ChainRecorder }[] = []
  try {
    for (const { chainId, name, upstreamUrl } of named)
      recorders.push({ name, recorder: await recordChain({ chainId, upstreamUrl }) })
    const urls = Object.fromEntries(recorders.map(({ name, recorder }) => [name, recorder.url]))
    const env = { ...process.env, ...urls }
    if (command.length > 0) await run(command, env)
    else await runHotScenario({ env, print })
    await writePack(
      out,
      await Promise.all(recorders.map(({ recorder }) => recorder.toPackedChain())),
    )
  } finally {
    await Promise.all(recorders.map(({ recorder }) => recorder.close()))
  }
  await show(print, out)
}

async function replay(print: Print, { file, command }: { file: string; command: string[] }) {
  const onMissing = (read: string) => print(`not in the pack: ${read}\n`)
  const pack = await openLabPack({ path: file, onMissing })
  try {
    await run(command, { ...process.env, ...pack.env })
  } finally {
    await pack.close()
  }
}

async function run([name = '', ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(name, args, { stdio: 'inherit', env })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', () => reject(new Error(`cannot run ${name}`)))
    child.once('exit', resolve)
  })
  if (code !== 0) throw new Error(`${name} failed (exit ${code ?? 'by a signal'})`)
}

async function show(print: Print, file: string) {
  const packed = await readPack(file)
  printTable(print, {
    head: ['chain', 'block', 'block hash', 'answers'],
    rows: packed.map(({ chainId, blockNumber, blockHash, answers }) => [
      String(chainId),
      String(blockNumber),
      blockHash,
      String(answers.size),
    ]),
  })
  print(`${file}: ${statSync(file).size} bytes\n`)
}
