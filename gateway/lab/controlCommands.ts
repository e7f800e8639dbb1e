import { Command, Option } from 'commander'
import { type Chain, chains } from '../chain/chains.ts'
import { callLab } from './callLab.ts'
import { faultsCommand } from './faultCommands.ts'
import type { LabManifest } from './manifest.ts'

type Deps = {
  readonly print: (text: string) => void
  readonly readManifest: () => LabManifest
}

/** `forkyard lab deal`, `mine`, `warp`, `snapshot`, `revert`, `impersonate`, `faults`: what `/lab/*` does, on a running lab. */
export function controlCommands({ print, readManifest }: Deps): readonly Command[] {
  const command = (name: string, description: string, toBody: (...words: string[]) => object) => {
    const [verb = '', ...operands] = name.split(' ')
    const words = operands.length
    const names = chains.map((chain) => chain.name)
    const made = new Command(verb)
    for (const operand of operands) made.argument(operand)
    return made
      .description(description)
      .addOption(new Option('--chain <name>', 'which chain').choices(names).default(names[0]))
      .action(async (...given: unknown[]) => {
        const { chain } = given[words] as { readonly chain: string }
        const { chainId } = chains.find((one) => one.name === chain) as Chain
        const body = toBody(...(given.slice(0, words) as string[]))
        const path = `/lab/${verb}`
        print(`${await callLab(readManifest(), { path, body: { chainId, ...body } })}\n`)
      })
  }
  return [
    command(
      'deal <token> <to> <amount>',
      'make a balance be an amount, in raw units; the zero address is the native currency',
      (token, to, amount) => ({ token, to, amount }),
    ),
    command('mine [blocks]', 'mine blocks', (blocks = '1') => ({ blocks: Number(blocks) })),
    command('warp <secs>', 'let seconds pass, and mine a block that knows it', (secs) => ({
      secs: Number(secs),
    })),
    command('snapshot', 'keep the state of a chain; prints the id for revert', () => ({})),
    command('revert <id>', 'go back to a kept state; prints its new id', (id) => ({ id })),
    command(
      'impersonate <from> <to> [data] [value]',
      'send a transaction as anybody: data in hex, value in wei',
      (from, to, data, value) => ({ from, to, data, value }),
    ),
    faultsCommand({ print, readManifest }),
  ]
}
