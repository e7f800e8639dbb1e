import { Command } from 'commander'
import { toTable } from '../observe/printTable.ts'
import { callLab } from './callLab.ts'
import type { LabManifest } from './manifest.ts'

type Deps = {
  readonly print: (text: string) => void
  readonly readManifest: () => LabManifest
}
type Listed = {
  readonly faults: readonly {
    readonly name: string
    readonly sentence: string
    readonly settings: {
      readonly properties: Readonly<Record<string, { readonly default: number }>>
    }
  }[]
  readonly armed: readonly { readonly name: string; readonly left: number }[]
}
type Options = { readonly set?: Readonly<Record<string, number>> }

/** `forkyard lab faults`: what can go wrong on demand, and having it go wrong. */
export function faultsCommand({ print, readManifest }: Deps): Command {
  const command = new Command('faults').description('what can go wrong in a running lab on demand')
  command
    .command('list', { isDefault: true })
    .description('every fault with its settings, and those that wait for their requests')
    .action(async () => {
      // Of our own gateway, whose schema this is.
      const text = await callLab(readManifest(), { path: '/lab/faults' })
      print(printFaults(JSON.parse(text) as Listed))
    })
  command
    .command('arm <name>')
    .description('have the next requests go wrong')
    .option('--times <n>', 'how many requests; default: 1', Number)
    .option('--after <n>', 'so many pass first; default: none', Number)
    .option('--ttl-ms <ms>', 'then it is forgotten; default: 60000', Number)
    .option('--service <name>', 'routing, meta or relay')
    .option('--path <path>', 'as requests name it: /quote')
    .option('--api-key <key>', 'only requests with this key, as of a lease')
    .option('--client-id <id>', 'only requests with this X-Client-Id')
    .option('--source <name>', 'of source_…: only this source of quotes')
    .option('--chain-id <id>', 'of chain_… and node_…: only this chain', Number)
    .option('--set <setting=number>', 'a setting of the fault, as often as wanted', readSetting)
    .action(async (name: string, { set, ...target }: Options) => {
      const body = { name, ...target, settings: set }
      print(`${await callLab(readManifest(), { path: '/lab/faults', body })}\n`)
    })
  command
    .command('clear')
    .description('forget the faults that wait')
    .action(async () => {
      print(`${await callLab(readManifest(), { path: '/lab/faults/clear', body: {} })}\n`)
    })
  return command
}

function readSetting(word: string, before: Options['set']): Options['set'] {
  const [, name, digits] = /^(\w+)=(\d+)$/.exec(word) ?? []
  if (name === undefined) throw new Error(`${word} is not a setting: ms=500 is one`)
  return { ...before, [name]: Number(digits) }
}

function printFaults({ faults, armed }: Listed): string {
  const rows = faults.map(({ name, sentence, settings }) => [
    name,
    Object.entries(settings.properties)
      .map(([key, { default: usual }]) => `${key}=${usual}`)
      .join(' '),
    sentence,
  ])
  const waiting = armed.map(({ name, left }) => `${name} waits for ${left} more\n`)
  return `${toTable({ rows })}\n${waiting.join('')}`
}
