import { Command } from 'commander'
import { type Config, readConfig } from '../config/config.ts'
import { printTable } from '../observe/printTable.ts'
import { capWindowMs } from '../relay/limits.ts'
import type { Store } from '../store/ports.ts'
import { numberedChains, toChainId, toWholeNumber } from './arguments.ts'
import { recordCommand } from './recordCommand.ts'
import { withStore } from './withStore.ts'

type Print = (text: string) => void

const withRelay = <value>(use: (relay: Store['relay']) => Promise<value>) =>
  withStore(readConfig(process.env), ({ relay }) => use(relay))

const byNumber = ['<chain>', `by its number or name: ${numberedChains}`, toChainId] as const

/** A change of one chain's book, between two rows of the operators' log. */
function change<value>(
  { command, chainId, asked = {} }: { command: string; chainId: number; asked?: object },
  work: (relay: Store['relay']) => Promise<value>,
) {
  return withStore(readConfig(process.env), ({ relay, operatorLog: log }) =>
    recordCommand(
      { log },
      {
        command: `relay ${command}`,
        subject: String(chainId),
        asked,
        look: async () => ({
          ...(await relay.totals({ chainId, nowMs: Date.now(), windowMs: capWindowMs })),
          clockMs: await relay.readClock(chainId),
        }),
      },
      () => work(relay),
    ),
  )
}

/** `forkyard relay …`: what the relay has done, and its brake; on the database, beside a running gateway. */
export function relayCommand(print: Print) {
  const relay = new Command('relay').description('the sponsored deployments')
  relay
    .command('status')
    .description('what each chain has spent of this hour, and what is open')
    .action(async () => {
      const { chains } = readConfig(process.env)
      const rows = await withRelay((book) =>
        Promise.all(chains.map((chain) => describeChain(book, chain))),
      )
      const head = ['chain', 'deploys this hour', 'wei this hour', 'pending', 'lost', 'paused']
      printTable(print, { head, rows })
    })
  relay
    .command('history')
    .description('the newest transactions')
    .option('--chain <id>', 'one chain only', toChainId)
    .option('--limit <n>', 'rows', toWholeNumber, 50)
    .action(async ({ chain, limit }) => {
      const rows = await withRelay((book) => book.listLatest({ chainId: chain, limit }))
      printTable(print, {
        head: ['chain', 'nonce', 'status', 'owner', 'hash'],
        rows: rows.map((row) => [
          String(row.chainId),
          String(row.nonce),
          row.status,
          row.owner,
          row.minedHash ?? row.attempts.at(-1)?.hash ?? '',
        ]),
      })
    })
  relay
    .command('pause')
    .description('sponsor nothing more on a chain')
    .argument(...byNumber)
    .option('--reason <text>', 'shown to operators', 'paused by the operator')
    .action(async (chainId: number, { reason }) => {
      await change({ command: 'pause', chainId, asked: { reason } }, (book) =>
        book.pause({ chainId, reason, nowMs: Date.now() }),
      )
      print(`chain ${chainId} is paused\n`)
    })
  const clock = relay.command('clock').description('the clock that the hourly caps count by')
  clock
    .command('show')
    .description("how far it is ahead of this machine's, in seconds")
    .argument(...byNumber)
    .action(async (chainId: number) => {
      const stored = await withRelay((book) => book.readClock(chainId))
      const aheadSecs = stored === undefined ? 0 : Math.round((stored - Date.now()) / 1_000)
      print(`chain ${chainId}: ${stored === undefined ? 'not used yet' : `${aheadSecs} s`}\n`)
    })
  clock
    .command('reset')
    .description('set it back to now, after a machine whose clock was wrong; gateways may run')
    .argument(...byNumber)
    .action(async (chainId: number) => {
      const atMs = await change({ command: 'clock reset', chainId }, (book) =>
        book.resetClock({ chainId, nowMs: Date.now() }),
      )
      print(`chain ${chainId}: the clock is ${new Date(atMs).toISOString()}\n`)
    })
  relay
    .command('resume')
    .description('sponsor again')
    .argument(...byNumber)
    .action(async (chainId: number) => {
      await change({ command: 'resume', chainId }, (book) => book.resume(chainId))
      print(`chain ${chainId} is resumed\n`)
    })
  return relay
}

async function describeChain(
  book: Store['relay'],
  { chain: { chainId }, relayLimits }: Config['chains'][number],
): Promise<readonly string[]> {
  const totals = await book.totals({ chainId, nowMs: Date.now(), windowMs: capWindowMs })
  return [
    String(chainId),
    `${totals.deploys} of ${relayLimits.maxDeploysPerHour}`,
    `${totals.spendWei} of ${relayLimits.maxSpendPerHourWei}`,
    String(totals.open),
    String(totals.lost),
    totals.pausedReason ?? 'no',
  ]
}
