import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from 'viem'
import { askUntilAnswered, type Said, type Setup, startFleet } from '../../fixtures/relayFleet.ts'
import { ownerAt, prepareOwners } from '../../fixtures/relayStand.ts'
import { createRpc } from '../../fixtures/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain, type WorldChain } from '../../fixtures/world.ts'
import { openStore } from '../store/openStore.ts'
import type { RelayTransaction } from '../store/relay.ts'

/**
 * `npm run proof:relay`, with `RELAY_KILLS=500` for the long run: two relays on one database and one key,
 * killed with SIGKILL at random fault points, under load. Afterwards the chain and the database are
 * compared. The same load then meets a check-then-act relay, to show that the checks find what they seek.
 */
const killsWanted = Number(process.env['RELAY_KILLS'] ?? 40)
const dir = mkdtempSync(join(tmpdir(), 'relay-kill-'))
const unlimited = { maxDeploysPerHour: '1000000', maxSpendPerHourWei: String(10n ** 24n) }
const proof = suite('relay under kill -9')

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

async function readRows(path: string): Promise<readonly RelayTransaction[]> {
  const store = openStore({ path })
  const rows = await store.relay.listLatest({ limit: 1_000_000 })
  store.close()
  return rows
}

/** Lets workers that are not killed finish what the killed ones have left. */
async function drain(chain: WorldChain, setup: Setup): Promise<void> {
  const fleet = startFleet(chain, { ...setup, killWithinPoints: 0 }, 2)
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline) {
    await wait(250)
    const rows = await readRows(setup.path)
    if (rows.every(({ status }) => status !== 'pending')) break
  }
  await fleet.close()
}

async function underKills(chain: WorldChain) {
  const path = join(dir, 'kills.sqlite')
  const setup: Setup = { path, killWithinPoints: 400, limits: unlimited, naive: false }
  const fromBlock = Number(await createRpc(chain.rpcUrl)('eth_blockNumber'))
  const fleet = startFleet(chain, setup, 2)
  const said: Said[] = []
  let asked = 0
  async function client() {
    while (fleet.kills() < killsWanted) {
      const owner = ownerAt(asked++, 'kill')
      await prepareOwners(chain, [owner])
      // Two at once, so that both processes see the same owner.
      const answers = await Promise.all(
        [0, 1].map(() => askUntilAnswered(fleet, chain.chainId, owner)),
      )
      for (const answer of answers) if (typeof answer === 'object') said.push(answer)
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
  const rows = await readRows(path)
  const sent = await readSent(chain, fromBlock)
  return { kills, owners: asked, transactions: sent.length, broken: judge(sent, rows, said) }
}

/** Many owners at once against the document's limits, over two processes. */
async function underLoad(chain: WorldChain, { naive }: { readonly naive: boolean }) {
  const path = join(dir, `${naive ? 'naive' : 'ours'}.sqlite`)
  const owners = Array.from({ length: 300 }, (_, index) => ownerAt(index, path))
  await prepareOwners(chain, owners)
  const fleet = startFleet(chain, { path, killWithinPoints: 0, limits: {}, naive }, 2)
  const twice = owners.flatMap((owner) => [owner, owner])
  const answers = await Promise.all(
    twice.map((owner) => askUntilAnswered(fleet, chain.chainId, owner)),
  )
  await fleet.close()
  const rows = await readRows(path)
  const byOwner = new Set(rows.map(({ owner }) => owner))
  const byNonce = new Set(
    rows.flatMap(({ attempts }) => attempts.map(({ raw }) => raw.slice(0, 40))),
  )
  return {
    'deployments (cap 60)': rows.length,
    'second rows of an owner': rows.length - byOwner.size,
    'nonces signed twice': rows.length - byNonce.size,
    'refused with 429': answers.filter((answer) => answer === 429).length,
  }
}

const print = (title: string, facts: Readonly<Record<string, number>>) => {
  process.stdout.write(`\n${title}\n`)
  for (const [name, value] of Object.entries(facts))
    process.stdout.write(`  ${String(value).padStart(8)}  ${name}\n`)
}

async function withChain<value>(run: (chain: WorldChain) => Promise<value>): Promise<value> {
  const chain = await startWorldChain({ chainId: 8453 })
  try {
    return await run(chain)
  } finally {
    await chain.close()
  }
}

proof(`keeps every promise over ${killsWanted} kills at random fault points`, async () => {
  const { kills, owners, transactions, broken } = await withChain(underKills)
  print('two relays, one database, one key, SIGKILL at random fault points', {
    kills,
    owners,
    transactions,
    ...broken,
  })
  assert.ok(kills >= killsWanted)
  for (const [what, count] of Object.entries(broken)) assert.is(count, 0, what)
})
proof(
  'sponsors exactly 60 of 300 owners who all ask twice at once, over two processes',
  async () => {
    const facts = await withChain((chain) => underLoad(chain, { naive: false }))
    print('300 owners, each twice at once, two processes', facts)
    assert.equal(
      [
        facts['deployments (cap 60)'],
        facts['second rows of an owner'],
        facts['nonces signed twice'],
      ],
      [60, 0, 0],
    )
  },
)
proof('would have noticed: a check-then-act relay breaks the cap in the same harness', async () => {
  const facts = await withChain((chain) => underLoad(chain, { naive: true }))
  print('the same load on check-then-act', facts)
  assert.ok(facts['deployments (cap 60)'] > 60)
  assert.ok(facts['nonces signed twice'] > 0)
})
proof.after(() => rmSync(dir, { recursive: true }))
proof.run()
