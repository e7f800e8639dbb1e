import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { version } from './runtime/version.ts'

type Print = (text: string) => void
type Group = {
  readonly names: readonly string[]
  readonly load: (print: Print) => Promise<readonly Command[]>
  /** For compose files, not for people. */
  readonly hidden?: boolean
}

const labGroups: readonly Group[] = [
  one('lab', async (print) => (await import('./lab/labCommand.ts')).labCommand(print)),
  {
    names: ['lab-up', 'lab-down'],
    load: async (print) => (await import('./lab/upAndDownCommands.ts')).upAndDownCommands(print),
  },
  one('doctor', async (print) => (await import('./commands/doctor.ts')).doctorCommand(print)),
  one('pack', async (print) => (await import('./commands/pack.ts')).packCommand(print)),
  one('fork', async (print) => (await import('./commands/fork.ts')).forkCommand(print)),
  {
    names: ['lab-chain', 'lab-gateway', 'lab-rpc'],
    async load(print) {
      const { containerCommands } = await import('./lab/containers/containerCommands.ts')
      return containerCommands({ print, serve })
    },
    hidden: true,
  },
]

const groups: readonly Group[] = [
  // A production image is built without the lab: its commands do not exist there.
  ...(existsSync(join(import.meta.dirname, 'lab')) ? labGroups : []),
  one('keys', async (print) => (await import('./commands/keys.ts')).keysCommand(print)),
  one('plans', async (print) => (await import('./commands/plans.ts')).plansCommand(print)),
  one('operator-log', async (print) =>
    (await import('./commands/operatorLog.ts')).operatorLogCommand(print),
  ),
  one('ledger', async (print) => (await import('./commands/ledger.ts')).ledgerCommand(print)),
  one('buy', async (print) => (await import('./commands/buy.ts')).buyCommand(print)),
  one('deploy', async (print) => (await import('./commands/deploy.ts')).deployCommand(print)),
  one('relay', async (print) => (await import('./commands/relay.ts')).relayCommand(print)),
  one('audit', async (print) => (await import('./commands/audit.ts')).auditCommand(print)),
  one('simulatord', async (print) =>
    (await import('./commands/simulatord.ts')).simulatordCommand(print),
  ),
  one('mcp', async () => (await import('./commands/mcp.ts')).mcpCommand()),
  {
    names: ['backup', 'restore'],
    load: async (print) => (await import('./commands/backup.ts')).backupCommands(print),
  },
  one('backups', async (print) => (await import('./commands/backups.ts')).backupsCommand(print)),
  one('pools', async (print) => (await import('./commands/pools.ts')).poolsCommand(print)),
  one('start', async () =>
    new Command('start')
      .description('run the gateway in the foreground, on the settings of the environment')
      .action(serve),
  ),
  one('status', async (print) => (await import('./commands/status.ts')).statusCommand(print)),
  one('config', async (print) => (await import('./commands/listSettings.ts')).configCommand(print)),
]

/**
 * `forkyard` with all its commands, or with those that come with the one named: to load what all of them need
 * takes longer than most of them do.
 */
export async function createProgram(print: Print, name?: string): Promise<Command> {
  const program = new Command('forkyard').version(version)
  const named = groups.filter(({ names }) => name !== undefined && names.includes(name))
  if (named.length === 0) program.description(await describe())
  for (const { load, hidden = false } of named.length > 0 ? named : groups)
    for (const command of await load(print)) program.addCommand(command, { hidden })
  return program
}

async function describe(): Promise<string> {
  const { nameChains } = await import('./chain/nameChains.ts')
  return `A simulation lab and swap gateway for ${nameChains()}`
}

function one(name: string, load: (print: Print) => Promise<Command>): Group {
  return { names: [name], load: async (print) => [await load(print)] }
}

/** The gateway reads the environment as it loads. */
async function serve(): Promise<void> {
  await import('./main.ts')
}
