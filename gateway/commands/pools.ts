import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { type Chain, chains } from '../chain/chains.ts'
import { checkPools } from '../routing/sync/checkPools.ts'
import { readPoolsFile, writePoolsFile } from '../routing/sync/poolsFile.ts'
import { openStore } from '../store/openStore.ts'
import type { Store } from '../store/ports.ts'
import { chainNames, toChain } from './arguments.ts'
import { readDatabase } from './readDatabase.ts'
import { recordCommand } from './recordCommand.ts'

async function withPools<value>(
  use: (store: Pick<Store, 'pools' | 'operatorLog'>) => Promise<value>,
) {
  const { url, path } = readDatabase(process.env)
  if (url)
    throw new Error(
      'gateways that share PostgreSQL keep their pools in its feeds: none to hand over',
    )
  const store = openStore({ path })
  try {
    return await use(store)
  } finally {
    store.close()
  }
}

/** `forkyard pools export|import`: the pools that one gateway has read, for another one to begin with. */
export function poolsCommand(print: (text: string) => void) {
  const pools = new Command('pools').description("hand a chain's pools to another gateway")
  pools
    .command('export')
    .description('write what the gateway kept last, while it runs or not')
    .argument('<file>', 'written anew')
    .requiredOption('--chain <name>', chainNames, toChain)
    .action((file: string, { chain }: { chain: Chain }) =>
      withPools(async ({ pools: snapshots }) => {
        const snapshot = await snapshots.load(chain.chainId)
        if (!snapshot) throw new Error(`no pools of ${chain.name} are kept`)
        writeFileSync(file, writePoolsFile(chain.chainId, snapshot))
        const { length } = snapshot.pools
        print(`${file}: ${length} pools of ${chain.name} at block ${snapshot.head.number}\n`)
      }),
    )
  pools
    .command('import')
    .description('begin with these pools at the next start; the gateway must be stopped')
    .argument('<file>', 'from somebody you trust: its pools are believed until they are audited')
    .action((file: string) =>
      withPools(async ({ pools: snapshots, operatorLog: log }) => {
        const bytes = readFileSync(file)
        const { chainId, snapshot } = readPoolsFile(bytes)
        checkPools(snapshot)
        const chain = chains.find((one) => one.chainId === chainId)
        if (!chain) throw new Error(`chain ${chainId} is not built in`)
        const { number } = snapshot.head
        const kept = await snapshots.load(chainId)
        if (kept && kept.head.number >= number)
          throw new Error(`pools of ${chain.name} are kept as of block ${kept.head.number} already`)
        const look = async () => {
          const stands = await snapshots.load(chainId)
          return stands ? { block: stands.head.number, pools: stands.pools.length } : null
        }
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        const entry = {
          command: 'pools import',
          subject: chain.name,
          asked: { file, sha256 },
          look,
        }
        await recordCommand({ log }, entry, async () => {
          await snapshots.clear(chainId)
          await snapshots.save(chainId, snapshot)
        })
        print(`${snapshot.pools.length} pools of ${chain.name} at block ${number}\n`)
      }),
    )
  return pools
}
