import { Command } from 'commander'
import { type Config, readConfig } from '../config/config.ts'
import { printTable } from '../observe/printTable.ts'
import { capWindowMs } from '../relay/limits.ts'
import type { Store } from '../store/ports.ts'
import { toWholeNumber } from './arguments.ts'
import { recordCommand } from './recordCommand.ts'
import { withStore } from './withStore.ts'

type Print = (text: string) => void

const withRelay = <value>(use: (relay: Store['relay']) => Promise<value>) =>
  withStore(readConfig(process.env), ({ relay }) => use(relay))

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
    .option('--chain <id>', 'one chain only', toWholeNumber)
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
    .command('pause <chain>')
    .description('sponsor nothing more on a chain')
    .option('--reason <text>', 'shown to operators', 'paused by the operator')
    .action(async (chain: string, { reason }) => {
      const chainId = toWholeNumber(chain)
      await change({ command: 'pause', chainId, asked: { reason } }, (book) =>
        book.pause({ chainId, reason, nowMs: Date.now() }),
      )
      print(`chain ${chainId} is paused\n`)
    })
  const clock = relay.command('clock').description('the clock that the hourly caps count by')
  clock
    .command('show <chain>')
    .description("how far it is ahead of this machine's, in seconds")
    .action(async (chain: string) => {
      const stored = await withRelay((book) => book.readClock(toWholeNumber(chain)))
      const aheadSecs = stored === undefined ? 0 : Math.round((stored - Date.now()) / 1_000)
      print(`chain ${chain}: ${stored === undefined ? 'not used yet' : `${aheadSecs} s`}\n`)
    })
  clock
    .command('reset <chain>')
    .description('set it back to now, after a machine whose clock was wrong; gateways may run')
    .action(async (chain: string) => {
      const chainId = toWholeNumber(chain)
      const atMs = await change({ command: 'clock reset', chainId }, (book) =>
        book.resetClock({ chainId, nowMs: Date.now() }),
      )
      print(`chain ${chainId}: the clock is ${new Date(atMs).toISOString()}\n`)
    })
  relay
    .command('resume <chain>')
    .description('sponsor again')
    .action(async (chain: string) => {
      const chainId = toWholeNumber(chain)
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
