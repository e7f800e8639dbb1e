import { Command } from 'commander'
import { getAddress, isAddress } from 'viem'
import {
  createKey,
  grantQuota,
  listKeys,
  listLedger,
  revokeKey,
  rotateKey,
} from '../access/issueKeys.ts'
import { readKeyConfig } from '../config/keyConfig.ts'
import type { Environment } from '../config/readSettings.ts'
import { printTable } from '../observe/printTable.ts'
import type { Store } from '../store/ports.ts'
import { toWholeNumber } from './arguments.ts'
import { noSuchKey, noSuchPlan } from './noSuch.ts'
import { recordCommand } from './recordCommand.ts'
import { withStore } from './withStore.ts'

type Print = (text: string) => void

type Deps = Parameters<typeof createKey>[0] & { readonly store: Store }
type Use<value> = (deps: Deps) => Promise<value>

/** Opens the configured database for one command. */
async function openKeys<value>(env: Environment, use: Use<value>) {
  const { keyPrefix, keyPepper: pepper, ...database } = readKeyConfig(env)
  return withStore(database, (store) =>
    use({ store, config: { keyPrefix, pepper }, now: Date.now }),
  )
}

/** Between two rows of the operators' log, which hold the key's row and balance. */
function recorded<value>(
  { store, now }: Deps,
  {
    command,
    id,
    asked,
  }: { readonly command: string; readonly id?: string; readonly asked: object },
  work: () => Promise<value>,
): Promise<value> {
  const look = async (keyId: string | undefined) =>
    keyId === undefined
      ? null
      : { key: (await store.keys.find(keyId)) ?? null, balance: await store.ledger.balance(keyId) }
  return recordCommand(
    { log: store.operatorLog, now },
    {
      command: `keys ${command}`,
      ...(id !== undefined && { subject: id }),
      asked,
      look: (done) => look(id ?? idOf(done)),
    },
    work,
  )
}

const idOf = (made: unknown) =>
  typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : undefined

const keyHead = ['id', 'key starts', 'label', 'wallet', 'plan']
const toTime = (ms: number) => new Date(ms).toISOString()

function toWallet(value: string) {
  if (!isAddress(value)) throw new Error(`${value} is not an address`)
  return getAddress(value)
}

/** `forkyard keys …`: API keys and their quota, on the configured database, beside a running gateway or not. */
export function keysCommand(print: Print, env: Environment = process.env) {
  const withKeys = <value>(use: Use<value>) => openKeys(env, use)
  const keys = new Command('keys').description('API keys and their quota')
  keys
    .command('create <label>')
    .description('create a key; it is shown once')
    .option('--quotes <n>', 'quota to start with', toWholeNumber, 0)
    .option('--wallet <address>', 'wallet whose payments the key may claim', toWallet)
    .option('--plan <name>', 'a plan of forkyard plans; else the limits of the settings')
    .action(async (label: string, { quotes, wallet, plan }) => {
      const asked = { label, quotes, wallet, plan }
      const { id, apiKey } = await withKeys((deps) =>
        recorded(deps, { command: 'create', asked }, async () => {
          if (plan !== undefined && !(await deps.store.plans.find(plan))) throw noSuchPlan(plan)
          return createKey(deps, asked)
        }),
      )
      print(`${id}\n${apiKey}\n`)
    })
  keys
    .command('list')
    .description('every key with its balance')
    .action(async () => {
      const reports = await withKeys(listKeys)
      printTable(print, {
        head: [...keyHead, 'remaining', 'used', 'created', 'revoked'],
        rows: reports.map(({ balance, createdAtMs, revokedAtMs, ...key }) => [
          key.id,
          key.start,
          key.label,
          key.wallet ?? '',
          key.plan ?? '',
          String(balance.remaining),
          String(balance.used),
          toTime(createdAtMs),
          revokedAtMs ? toTime(revokedAtMs) : '',
        ]),
      })
    })
  keys
    .command('revoke <id>')
    .description('refuse the key from now on')
    .option('--abuse <reason>', 'and any other key to its wallet, for good')
    .action(async (id: string, { abuse }: { abuse?: string }) => {
      const isRevoked = await withKeys((deps) =>
        recorded(deps, { command: 'revoke', id, asked: { abuse } }, () =>
          revokeKey(deps, { id, abuse }),
        ),
      )
      if (!isRevoked) throw noSuchKey(id)
      print(`${id} is revoked\n`)
    })
  keys
    .command('rotate <id>')
    .description('a new secret for the same id and quota; the old one stops at once')
    .option('--overlap-hours <n>', 'or goes on for so long', toWholeNumber)
    .action(async (id: string, { overlapHours }: { overlapHours?: number }) => {
      const overlapMs = overlapHours === undefined ? undefined : overlapHours * 3_600_000
      const rotated = await withKeys((deps) =>
        recorded(deps, { command: 'rotate', id, asked: { overlapHours } }, () =>
          rotateKey(deps, { id, overlapMs }),
        ),
      )
      if (!rotated) throw noSuchKey(id)
      print(`${rotated.apiKey}\n`)
    })
  keys
    .command('grant <id> <quotes>')
    .description('add quota; a negative number takes back (write it after --)')
    .option('--reason <text>', 'kept in the ledger', 'granted by the operator')
    .action(async (id: string, quotes: string, { reason }) => {
      const asked = { id, quotes: toWholeNumber(quotes), reason }
      const balance = await withKeys((deps) =>
        recorded(deps, { command: 'grant', id, asked }, () => grantQuota(deps, asked)),
      )
      if (!balance) throw noSuchKey(id)
      print(`${balance.remaining} quotes remain\n`)
    })
  keys
    .command('ledger <id>')
    .description('what was credited and charged, newest first')
    .option('--limit <n>', 'entries', toWholeNumber, 100)
    .action(async (id: string, { limit }) => {
      const entries = await withKeys((deps) => listLedger(deps, { id, limit }))
      printTable(print, {
        head: ['at', 'kind', 'units', 'reference'],
        rows: entries.map(({ atMs, kind, units, ref }) => [toTime(atMs), kind, String(units), ref]),
      })
    })
  return keys
}
