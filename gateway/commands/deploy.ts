import { writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Address, formatEther, getAddress, isAddress, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { amountPerQuote } from '../access/sale/amountPerQuote.ts'
import type { Chain } from '../chain/chains.ts'
import { type ChainClient, createChainClient } from '../chain/client.ts'
import { settingName } from '../chain/settingName.ts'
import { deploy, type Prospect, prospectDeployment, settlePending } from '../deploy/deploy.ts'
import { readDeployment } from '../deploy/deploymentFile.ts'
import { type PlannedContract, planDeployment, type QuotaTerms } from '../deploy/planDeployment.ts'
import { verifyDeployment } from '../deploy/verifyDeployment.ts'
import { printTable } from '../observe/printTable.ts'
import { readKeystore } from '../signing/keystore.ts'
import { chainNames, readRpcUrls, toChain, toWholeNumber } from './arguments.ts'
import type { Entry } from './recordCommand.ts'
import { recordElsewhere } from './recordElsewhere.ts'

type Print = (text: string) => void
type Options = {
  readonly chain: Chain
  readonly rpc?: string
  readonly keystore?: string
  readonly passwordFile?: string
  readonly ledgerJson?: string
  readonly dryRun?: boolean
  readonly verify?: boolean
  readonly from?: Address
  readonly treasury?: Address
  readonly confirmations: number
  readonly out: string
}

function toAddress(value: string): Address {
  if (!isAddress(value))
    throw new InvalidArgumentError('it must be an address, checksummed where its letters are mixed')
  return getAddress(value)
}

function openAccount({ keystore, passwordFile }: Options) {
  if (keystore === undefined) return undefined
  if (passwordFile === undefined) throw new Error('--keystore needs --password-file')
  return privateKeyToAccount(readKeystore({ keystorePath: keystore, passwordPath: passwordFile }))
}

/** At the price that the gateway credits at: a contract at another one would sell what nobody answers. */
const readQuota = ({ treasury }: Options): QuotaTerms | undefined =>
  treasury && { treasury, amountPerQuote }

function printProspect(print: Print, { inspected, price }: Prospect) {
  const gasOf = (address: Address) =>
    price.contracts.find(({ contract }) => contract.address === address)?.gas
  printTable(print, {
    head: ['contract', 'address', 'gas'],
    rows: inspected.map(({ contract: { name, address } }) => [
      name,
      address,
      String(gasOf(address) ?? 'stands'),
    ]),
  })
  const l1 = price.l1FeeWei > 0n ? `, ${formatEther(price.l1FeeWei)} of it for data` : ''
  print(
    `${price.gas} gas at ${price.gasPriceWei} wei: about ${formatEther(price.costWei)} ETH${l1}\n`,
  )
}

/** Lines for the gateway's settings file. */
function printSettings(print: Print, chain: Chain, plan: readonly PlannedContract[]) {
  print('\n')
  for (const { setting, address } of plan)
    if (setting !== undefined) print(`${settingName(chain, setting)}=${address}\n`)
}

/** What a hardware wallet signs elsewhere, in order; the limits leave a quarter over the estimate. */
function writeTransactions(
  path: string,
  { chain, prospect }: { chain: Chain; prospect: Prospect },
) {
  const transactions = prospect.price.contracts.map(({ contract: { name, to, data }, gas }) => ({
    name,
    chainId: chain.chainId,
    to,
    value: '0x0',
    gas: toHex((gas * 5n) / 4n),
    data,
  }))
  writeFileSync(path, `${JSON.stringify(transactions, null, 2)}\n`)
}

async function run(print: Print, options: Options, env: NodeJS.ProcessEnv) {
  const { chain, out } = options
  const rpcUrls = readRpcUrls(options, env)
  const chainClient = createChainClient({ chain, rpcUrls, trust: 'shown' })
  try {
    if (options.verify) return await verify(print, { chainClient, out, env })
    const account = openAccount(options)
    const sender = account?.address ?? options.from
    if (sender === undefined)
      throw new Error('give --keystore, or --from with --dry-run or --ledger-json')
    const quota = readQuota(options)
    const plan = planDeployment({ chain, sender, quota })
    const report = (line: string) => print(`${line}\n`)
    if (account && !options.dryRun) await settlePending(chainClient, { account, report })
    const prospect = await prospectDeployment(chainClient, { plan, sender })
    printProspect(print, prospect)
    if (options.dryRun) print('dry run: nothing was sent\n')
    else if (options.ledgerJson !== undefined) {
      writeTransactions(options.ledgerJson, { chain, prospect })
      print(`${options.ledgerJson}: ${prospect.missing.length} transactions to sign, in order\n`)
    } else if (account) {
      await requireFunds(chainClient, { account: account.address, prospect })
      const { confirmations } = options
      const path = await recordElsewhere(env, toEntry(options, { prospect, sender }), () =>
        deploy({ chainClient, account, report }, { prospect, quota, dir: out, confirmations }),
      )
      print(`${path} is written\n`)
    } else
      throw new Error('--from sends nothing: add --dry-run or --ledger-json, or give --keystore')
    printSettings(print, chain, plan)
  } finally {
    chainClient.close()
  }
}

/** For the operators' log: what is missing, and what the file says before and after. */
const toEntry = (
  { chain, out, treasury }: Options,
  { prospect, sender }: { readonly prospect: Prospect; readonly sender: Address },
): Entry<string> => ({
  command: 'deploy',
  subject: chain.name,
  asked: { sender, treasury, missing: prospect.missing.map(({ name }) => name) },
  look: async () => readDeployment(out, chain.name) ?? null,
})

async function requireFunds(
  { client }: ChainClient,
  { account, prospect: { price } }: { readonly account: Address; readonly prospect: Prospect },
) {
  const balance = BigInt(
    await client.request({ method: 'eth_getBalance', params: [account, 'latest'] }),
  )
  if (balance < price.costWei)
    throw new Error(
      `${account} has ${formatEther(balance)} ETH and needs about ${formatEther(price.costWei)}`,
    )
}

async function verify(
  print: Print,
  {
    chainClient,
    out,
    env,
  }: {
    readonly chainClient: ChainClient
    readonly out: string
    readonly env: NodeJS.ProcessEnv
  },
) {
  const verdicts = await verifyDeployment(chainClient, { dir: out, env })
  printTable(print, {
    head: ['contract', 'address', 'verdict'],
    rows: verdicts.map(({ name, address, verdict }) => [name, address, verdict]),
  })
  const wrong = verdicts.filter(({ verdict }) => verdict !== 'ok').length
  if (wrong > 0) throw new Error(`${wrong} of ${verdicts.length} are not as they should be`)
}

/** `forkyard deploy`: the contracts a gateway wants, on a chain, by the CREATE2 deployer. */
export function deployCommand(print: Print, env: NodeJS.ProcessEnv = process.env) {
  return new Command('deploy')
    .description('put the executor, lenses, proxy factory and quota manager on a chain')
    .requiredOption('--chain <name>', `which chain: ${chainNames}`, toChain)
    .option('--rpc <url>', "a node of it; default: the gateway's own setting, e.g. BASE_RPC_URL")
    .addOption(
      new Option('--keystore <file>', 'V3 keystore of the account that sends and pays').conflicts([
        'ledgerJson',
        'from',
      ]),
    )
    .option('--password-file <file>', 'file with its password')
    .addOption(
      new Option(
        '--ledger-json <file>',
        'send nothing: write the transactions for a hardware wallet',
      ).conflicts('dryRun'),
    )
    .option('--dry-run', 'send nothing: show addresses, gas and settings')
    .addOption(
      new Option(
        '--verify',
        'check what stands against deployments/<chain>.json and the settings',
      ).conflicts(['keystore', 'ledgerJson', 'dryRun', 'from']),
    )
    .option('--from <address>', 'the account that will send, without its key', toAddress)
    .option('--treasury <address>', 'who is paid for quota; absent: no quota is sold', toAddress)
    .option('--confirmations <n>', 'blocks to wait for after each', toWholeNumber, 2)
    .option('--out <dir>', 'where deployments/<chain>.json goes', 'deployments')
    .action((options: Options) => run(print, options, env))
}
