import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Hex, parseTransaction } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import {
  askUntilAnswered,
  type Said,
  type Setup,
  startFleet,
} from '../../fixtures/relay/relayFleet.ts'
import { ownerAt, prepareOwners } from '../../fixtures/relay/relayStand.ts'
import { startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain, type WorldChain } from '../../fixtures/world.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { audit } from '../commands/audit.ts'
import { openConfiguredStore } from '../store/openConfiguredStore.ts'
import type { RelayTransaction } from '../store/relayTransaction.ts'

/**
 * `npm run proof:relay`: two relays on one database and one key, killed with SIGKILL at random fault points
 * (before and after every await), under load, on each engine of the store. Afterwards the chain and the
 * database are compared. The same load then meets a check-then-act relay, to show that the checks find what
 * they seek. `RELAY_KILLS=100 RELAY_SEED=3 RELAY_ENGINE=postgres RELAY_ONLY=kills
 * RELAY_SECONDS=400` for one slice of a long run; `RELAY_ONLY=caps` and `load` are the other parts.
 */
const env = process.env
const killsWanted = Number(env['RELAY_KILLS'] ?? byLength({ short: 20, long: 200 }))
const seed = Number(env['RELAY_SEED'] ?? 1)
/** Ends a slice early, with as many kills as there were. */
const secondsAllowed = Number(env['RELAY_SECONDS'] ?? 100_000)
const dir = mkdtempSync(join(tmpdir(), 'relay-kill-'))
/** Rounds of the caps' part end after so many kills: each begins with an empty book and fills it. */
const killsOfRound = 20
const unlimited = { maxDeploysPerHour: '1000000', maxSpendPerHourWei: String(10n ** 24n) }
const postgres = env['RELAY_ENGINE'] === 'sqlite' ? undefined : await startPostgres()
let files = 0

type Engine = { readonly name: string; readonly createDatabase: () => Promise<string> }
const sqlite: Engine = {
  name: 'SQLite',
  async createDatabase() {
    files += 1
    return join(dir, `${files}.sqlite`)
  },
}
const engines: readonly Engine[] = [
  ...(env['RELAY_ENGINE'] === 'postgres' ? [] : [sqlite]),
  ...(postgres ? [{ name: 'PostgreSQL', createDatabase: postgres.createDatabase }] : []),
]

type Mined = { readonly hash: Hex; readonly nonce: number; readonly input: Hex }

async function readSent(chain: WorldChain, fromBlock: number): Promise<readonly Mined[]> {
  const rpc = createRpc(chain.rpcUrl)
  const relayer = chain.manifest.relayer.address.toLowerCase()
  const last = Number(await rpc('eth_blockNumber'))
  const sent: Mined[] = []
  for (let number = fromBlock + 1; number <= last; number += 1) {
    const block = (await rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, true)) as {
      transactions: { from: string; hash: Hex; nonce: Hex; input: Hex }[]
    }
    for (const { from, hash, nonce, input } of block.transactions)
      if (from.toLowerCase() === relayer) sent.push({ hash, nonce: Number(nonce), input })
  }
  return sent
}

/** What must hold, each as the number of times it does not. */
function judge(sent: readonly Mined[], rows: readonly RelayTransaction[], said: readonly Said[]) {
  const committed = new Set(rows.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)))
  const mined = new Set(sent.map(({ hash }) => hash))
  const owners = sent.map(({ input }) => input)
  const nonces = sent.map(({ nonce }) => nonce)
  const lowest = Math.min(...nonces)
  const rowOf = new Map(rows.flatMap((row) => row.attempts.map(({ hash }) => [hash, row] as const)))
  return {
    'sent but not committed': sent.filter(({ hash }) => !committed.has(hash)).length,
    'second transactions of an owner': owners.length - new Set(owners).size,
    'gaps in the nonces': nonces.filter((nonce, index) => nonce !== lowest + index).length,
    'answered hashes not in the database': said.filter(({ txHash }) => !rowOf.has(txHash)).length,
    'answered hashes neither mined nor replaced': said.filter(
      ({ txHash }) => !rowOf.get(txHash)?.attempts.some(({ hash }) => mined.has(hash)),
    ).length,
    'rows never mined': rows.filter(({ minedHash }) => minedHash === undefined).length,
  }
}

async function readRows(database: string): Promise<readonly RelayTransaction[]> {
  const isServer = database.startsWith('postgres:')
  const store = await openConfiguredStore({
    databasePath: database,
    databaseUrl: isServer ? database : undefined,
  })
  const rows = await store.relay.listLatest({ limit: 1_000_000 })
  await store.close()
  return rows
}

async function audited({ chainId, rpcUrl }: WorldChain, database: string): Promise<number> {
  const data = getChain(chainId)
  if (!data) throw new Error(`no chain ${chainId}`)
  const client = createChainClient({ chain: data, rpcUrls: [rpcUrl] })
  const databaseUrl = database.startsWith('postgres:') ? database : undefined
  const faults = await audit({ databasePath: database, databaseUrl }, { chains: [client] })
  client.close()
  if (faults.length > 0) process.stderr.write(`${JSON.stringify(faults.slice(0, 5))}\n`)
  return faults.length
}

/** Lets workers that are not killed finish what the killed ones have left. */
async function drain(chain: WorldChain, setup: Setup): Promise<void> {
  const fleet = startFleet(chain, { ...setup, killWithinPoints: 0 }, 2)
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    await wait(250)
    const rows = await readRows(setup.database)
    if (rows.every(({ status }) => status !== 'pending')) break
  }
  await fleet.close()
}

async function underKills(
  chain: WorldChain,
  {
    engine: { name, createDatabase },
    wanted = killsWanted,
    round = 0,
    limits = unlimited,
    endMs = Date.now() + secondsAllowed * 1000,
  }: {
    readonly engine: Engine
    readonly wanted?: number
    /** Chooses owners and fault points, with the seed. */
    readonly round?: number
    readonly limits?: Setup['limits']
    readonly endMs?: number
  },
) {
  const database = await createDatabase()
  // Lives that end sooner than a deployment takes fill no cap.
  const killWithinPoints = limits === unlimited ? 300 : 1_200
  const killing = { killWithinPoints, seed: seed + 1_000 * round }
  const setup: Setup = { database, ...killing, limits, naive: false }
  const rpc = createRpc(chain.rpcUrl)
  const fromBlock = Number(await rpc('eth_blockNumber'))
  const readBalance = async () =>
    BigInt(String(await rpc('eth_getBalance', chain.manifest.relayer.address, 'latest')))
  const balanceBefore = await readBalance()
  const fleet = startFleet(chain, setup, 2)
  const said: Said[] = []
  let [asked, refused] = [0, 0]
  // A cap that nobody met shows nothing: on a slow machine many lives end before the book is full.
  const isShown = () => fleet.kills() >= wanted && (limits === unlimited || refused > 0)
  async function client() {
    while (!isShown() && fleet.kills() < 20 * wanted && Date.now() < endMs) {
      const owner = ownerAt(asked++, `kill ${seed} ${round} ${name}`)
      await prepareOwners(chain, [owner])
      // Two at once, so that both processes see the same owner.
      const answers = await Promise.all(
        [0, 1].map(() => askUntilAnswered(fleet.url, chain.chainId, owner)),
      )
      for (const answer of answers) if (typeof answer === 'object') said.push(answer)
      refused += answers.filter((answer) => answer === 429).length
    }
  }
  const progress = setInterval(
    () => process.stderr.write(`${fleet.kills()} kills, ${asked} owners\n`),
    30_000,
  )
  await Promise.all(Array.from({ length: 6 }, client))
  clearInterval(progress)
  const kills = fleet.kills()
  await fleet.close()
  await drain(chain, setup)
  const rows = await readRows(database)
  const sent = await readSent(chain, fromBlock)
  const spentWei = balanceBefore - (await readBalance())
  const broken = {
    ...judge(sent, rows, said),
    'rows the audit finds wrong': await audited(chain, database),
  }
  return { kills, owners: asked, refused, transactions: sent.length, broken, rows, spentWei }
}

type Round = Awaited<ReturnType<typeof underKills>>

/** How far a round is over its caps, by the book and by what the chain says; 0 where they held. */
function judgeCaps({ rows, transactions, spentWei }: Round, { deploys, wei }: Caps) {
  const bookedWei = rows.reduce((sum, row) => sum + (row.actualWei ?? row.reservedWei), 0n)
  const over = (value: bigint, cap: bigint) => Number(value > cap ? value - cap : 0n)
  return {
    'deployments booked over the cap': over(BigInt(rows.length), BigInt(deploys)),
    'deployments mined over the cap': over(BigInt(transactions), BigInt(deploys)),
    'wei booked over the budget': over(bookedWei, wei),
    'wei spent over the budget': over(spentWei, wei),
  }
}

type Caps = { readonly deploys: number; readonly wei: bigint }
const unlimitedWei = 10n ** 24n
const capOfDeploys: Caps = { deploys: 12, wei: unlimitedWei }

/** Rounds under the cap of deployments and under the budget, by turns, until there were enough kills. */
async function underCaps(chain: WorldChain, engine: Engine) {
  const sums: Record<string, number> = {
    kills: 0,
    rounds: 0,
    deployments: 0,
    'refused with 429': 0,
  }
  const broken: Record<string, number> = {}
  const add = (to: Record<string, number>, name: string, value: number) => {
    to[name] = (to[name] ?? 0) + value
  }
  const endMs = Date.now() + secondsAllowed * 1000
  let caps = capOfDeploys
  for (let round = 1; (sums['kills'] ?? 0) < killsWanted && Date.now() < endMs; round += 1) {
    const limits = {
      maxDeploysPerHour: String(caps.deploys),
      maxSpendPerHourWei: String(caps.wei),
    }
    const result = await underKills(chain, { engine, wanted: killsOfRound, round, limits, endMs })
    const { kills, refused, transactions, rows } = result
    add(sums, 'kills', kills)
    add(sums, 'rounds', 1)
    add(sums, 'deployments', transactions)
    add(sums, 'refused with 429', refused)
    for (const [what, count] of Object.entries({ ...result.broken, ...judgeCaps(result, caps) }))
      add(broken, what, count)
    // Some of the last rows' worth and a part of one: the budget is met between two deployments.
    const dearest = rows.map(({ reservedWei }) => reservedWei).toSorted((a, b) => Number(b - a))[0]
    const isCapped = caps.wei === unlimitedWei
    caps = isCapped ? { deploys: 1_000_000, wei: ((dearest ?? 0n) * 15n) / 2n } : capOfDeploys
  }
  return { sums, broken }
}

/** Many owners at once against the document's limits, over two processes. */
async function underLoad(
  chain: WorldChain,
  {
    engine: { name, createDatabase },
    naive = false,
    killWithinPoints = 0,
    inFlight = 600,
  }: {
    readonly engine: Engine
    readonly naive?: boolean
    readonly killWithinPoints?: number
    readonly inFlight?: number
  },
) {
  const database = await createDatabase()
  const owners = Array.from({ length: 300 }, (_, index) => ownerAt(index, `${name} ${database}`))
  await prepareOwners(chain, owners)
  const fleet = startFleet(chain, { database, killWithinPoints, seed, limits: {}, naive }, 2)
  await fleet.whole()
  const queue = owners.flatMap((owner) => [owner, owner])
  const answers: (Said | number)[] = []
  async function client() {
    for (let owner = queue.pop(); owner; owner = queue.pop())
      answers.push(await askUntilAnswered(fleet.url, chain.chainId, owner))
  }
  await Promise.all(Array.from({ length: inFlight }, client))
  const kills = fleet.kills()
  await fleet.close()
  const rows = await readRows(database)
  const byOwner = new Set(rows.map(({ owner }) => owner))
  const nonces = new Set(
    rows.flatMap(({ attempts }) => attempts.map(({ raw }) => parseTransaction(raw).nonce)),
  )
  return {
    'deployments (cap 60)': rows.length,
    'second rows of an owner': rows.length - byOwner.size,
    'nonces signed twice': rows.length - nonces.size,
    'refused with 429': answers.filter((answer) => answer === 429).length,
    kills,
  }
}

async function withChain<value>(run: (chain: WorldChain) => Promise<value>): Promise<value> {
  const chain = await startWorldChain({ chainId: 8453 })
  try {
    return await run(chain)
  } finally {
    await chain.close()
  }
}

function addKills(engine: Engine) {
  const proof = suite(`relay under kill -9 on ${engine.name}`)
  proof(
    `keeps every promise over ${killsWanted} kills at random fault points [18/kill-relay]`,
    async () => {
      const { kills, owners, transactions, broken } = await withChain((chain) =>
        underKills(chain, { engine }),
      )
      const title = `two relays, one database (${engine.name}), one key, kill -9, seed ${seed}`
      reportFigures(title, { kills, owners, transactions, ...broken })
      assert.ok(kills >= killsWanted || env['RELAY_SECONDS'] !== undefined)
      for (const [what, count] of Object.entries(broken)) assert.is(count, 0, what)
    },
  )
  proof.run()
}

function addCaps(engine: Engine) {
  const proof = suite(`relay's caps under kill -9 on ${engine.name}`)
  proof(`exceeds neither cap in rounds of ${killsOfRound} kills [18/kill-caps]`, async () => {
    const { sums, broken } = await withChain((chain) => underCaps(chain, engine))
    reportFigures(`caps under kill -9, two relays, ${engine.name}, seed ${seed}`, {
      ...sums,
      ...broken,
    })
    assert.ok((sums['kills'] ?? 0) >= killsWanted || env['RELAY_SECONDS'] !== undefined)
    assert.ok((sums['refused with 429'] ?? 0) > 0)
    for (const [what, count] of Object.entries(broken)) assert.is(count, 0, what)
  })
  proof.run()
}

function addLoad(engine: Engine) {
  const proof = suite(`relay's caps over two processes on ${engine.name}`)
  const expectCaps = (facts: Awaited<ReturnType<typeof underLoad>>) =>
    assert.equal(
      [
        facts['deployments (cap 60)'],
        facts['second rows of an owner'],
        facts['nonces signed twice'],
      ],
      [60, 0, 0],
    )

  proof(
    'sponsors exactly 60 of 300 owners who all ask twice at once, over two processes',
    async () => {
      const facts = await withChain((chain) => underLoad(chain, { engine }))
      reportFigures(`300 owners, each twice at once, two processes, ${engine.name}`, facts)
      expectCaps(facts)
    },
  )
  proof('sponsors exactly 60 while the processes are killed', async () => {
    const facts = await withChain((chain) =>
      underLoad(chain, { engine, killWithinPoints: 800, inFlight: 8 }),
    )
    reportFigures(`the same under kill -9, ${engine.name}`, facts)
    expectCaps(facts)
  })
  proof('would have noticed: check-then-act breaks the cap in the same harness', async () => {
    const facts = await withChain((chain) => underLoad(chain, { engine, naive: true }))
    reportFigures(`the same load on check-then-act, ${engine.name}`, facts)
    assert.ok(facts['deployments (cap 60)'] > 60)
    assert.ok(facts['nonces signed twice'] > 0)
  })
  proof.run()
}

for (const engine of engines) {
  const only = env['RELAY_ONLY']
  if (only === undefined || only === 'kills') addKills(engine)
  if (only === undefined || only === 'caps') addCaps(engine)
  if (only === undefined || only === 'load') addLoad(engine)
}
const end = suite('the end')
end('leaves nothing behind', async () => {
  await postgres?.close()
  rmSync(dir, { recursive: true })
})
end.run()
