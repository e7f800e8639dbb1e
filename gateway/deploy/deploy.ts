import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, type Address, getAddress, type Hex } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import { version } from '../runtime/version.ts'
import { type Deployment, readDeployment, writeDeployment } from './deploymentFile.ts'
import { inspectDeployment } from './inspectDeployment.ts'
import { create2Deployer, type PlannedContract, type QuotaTerms } from './planDeployment.ts'
import { type DeploymentPrice, priceDeployment } from './priceDeployment.ts'
import { countPending, sendDeployment } from './sendDeployment.ts'

export type Inspected = Awaited<ReturnType<typeof inspectDeployment>>

/** What is missing of a plan, and what it costs to put it there. */
export type Prospect = {
  readonly inspected: Inspected
  readonly missing: readonly PlannedContract[]
  readonly price: DeploymentPrice
}

/**
 * Looks at the chain, sends nothing.
 * @throws Error where the chain lacks the CREATE2 deployer, or holds other code at an address of the plan
 */
export async function prospectDeployment(
  chainClient: Pick<ChainClient, 'client' | 'chain'>,
  { plan, sender }: { readonly plan: readonly PlannedContract[]; readonly sender: Address },
): Promise<Prospect> {
  const { client, chain } = chainClient
  const code = await client.request({ method: 'eth_getCode', params: [create2Deployer, 'latest'] })
  if (code === '0x')
    throw new Error(
      `${chain.name} has no CREATE2 deployer at ${create2Deployer}: deploy that first`,
    )
  const inspected = await inspectDeployment(client, plan)
  const others = inspected.filter(({ standing }) => standing.status === 'other')
  if (others.length > 0) {
    const names = others.map(({ contract }) => `${contract.name} (${contract.address})`).join(', ')
    throw new Error(`other code stands where these belong: ${names}`)
  }
  const missing = inspected
    .filter(({ standing }) => standing.status === 'missing')
    .map(({ contract }) => contract)
  return { inspected, missing, price: await priceDeployment(chainClient, { missing, sender }) }
}

/** Waits until an account has nothing in flight. @throws Error when that takes too long */
export async function settlePending(
  chainClient: Pick<ChainClient, 'client'>,
  {
    account,
    report,
    timeoutMs = 300_000,
  }: {
    readonly account: Pick<Account, 'address'>
    readonly report: (line: string) => void
    readonly timeoutMs?: number | undefined
  },
): Promise<void> {
  const until = performance.now() + timeoutMs
  let pending = await countPending(chainClient, { account })
  if (pending > 0)
    report(`waiting for ${pending} transactions of ${account.address} to be mined first`)
  while (pending > 0) {
    if (performance.now() > until)
      throw new Error(
        `${pending} transactions of ${account.address} are not mined: replace them or wait, then run this again`,
      )
    await sleep(chainClient.client.pollingInterval)
    pending = await countPending(chainClient, { account })
  }
}

type Made = { readonly contract: PlannedContract; readonly codeHash: Hex; transaction?: Hex }

/** The file after what is known now; transactions of earlier runs stay named. */
function toDeployment({
  chainClient: { chain },
  sender,
  quota,
  made,
  before,
}: {
  readonly chainClient: Pick<ChainClient, 'chain'>
  readonly sender: Address
  readonly quota: QuotaTerms | undefined
  readonly made: readonly Made[]
  readonly before: Deployment | undefined
}): Deployment {
  return {
    chainId: chain.chainId,
    chain: chain.name,
    version,
    sender: getAddress(sender),
    ...(quota && { treasury: quota.treasury, amountPerQuote: String(quota.amountPerQuote) }),
    contracts: Object.fromEntries(
      made.map(({ contract: { name, address }, codeHash, transaction }) => {
        const known = before?.contracts[name]
        const earlier = known?.address === address ? known.transaction : undefined
        const by = transaction ?? earlier
        return [name, { address, codeHash, ...(by && { transaction: by }) }]
      }),
    ),
  }
}

/**
 * Puts a plan on a chain and keeps the file after every contract, so that a stopped run goes on where it was.
 * Returns the file's path.
 */
export async function deploy(
  {
    chainClient,
    account,
    report,
  }: {
    readonly chainClient: Pick<ChainClient, 'client' | 'chain'>
    readonly account: Account
    readonly report: (line: string) => void
  },
  {
    prospect: { inspected, missing },
    quota,
    dir,
    confirmations,
  }: {
    readonly prospect: Prospect
    readonly quota: QuotaTerms | undefined
    readonly dir: string
    readonly confirmations: number
  },
): Promise<string> {
  const before = readDeployment(dir, chainClient.chain.name)
  const known = new Map(
    inspected.flatMap(({ contract, standing }): [string, Made][] =>
      standing.status === 'missing'
        ? []
        : [[contract.name, { contract, codeHash: standing.codeHash }]],
    ),
  )
  const save = () => {
    const made = inspected.flatMap(({ contract: { name } }) => known.get(name) ?? [])
    const sender = account.address
    return writeDeployment(dir, toDeployment({ chainClient, sender, quota, made, before }))
  }
  let path = save()
  const sending = sendDeployment({ ...chainClient, account, report }, { missing, confirmations })
  for await (const deployed of sending) {
    known.set(deployed.contract.name, deployed)
    path = save()
  }
  return path
}
