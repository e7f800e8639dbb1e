import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import Database from 'better-sqlite3'
import { erc20Abi, type Hex } from 'viem'
import { readContract } from 'viem/actions'
import {
  connectChain,
  createPerson,
  startAccessStand,
  transferUsdc,
} from '../../fixtures/access/accessStand.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { audit } from '../commands/audit.ts'
import { encodeHeader } from './sale/paymentRequired.ts'
import { startAccessJobs } from './startAccessJobs.ts'

/** Fewer for a quick look: `node gateway/access/kill.proof.ts 20`. */
const kills = Number(process.argv[2] ?? byLength({ short: 20, long: 200 }))
const s = suite('access/kill')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-kill-'))
const path = join(dir, 'gateway.db')
const world = await startWorldChain({ chainId: 8453 })
const chain = connectChain(world)
// Issues keys and judges the end; while the killed processes run it only shares their database file.
const judge = await startAccessStand({ worlds: [world], path, isSettling: true })
let standby = loadServer()
s.after(async () => {
  ;(await standby).disconnect()
  await judge.close()
  chain.client.close()
  await world.close()
  rmSync(dir, { recursive: true })
})

function next<value>(child: ChildProcess): Promise<value> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the server did not start'))
    child.once('exit', fail)
    child.once('message', (message) => {
      child.off('exit', fail)
      resolve(message as value)
    })
  })
}

async function loadServer(): Promise<ChildProcess> {
  const file = join(import.meta.dirname, '../../fixtures/access/accessServer.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled') }
  const child = fork(file, [path, '8453', world.rpcUrl], { env })
  await next(child)
  return child
}

/** The process that stands ready takes over, and another gets ready behind it. */
async function start(): Promise<{ child: ChildProcess; url: string }> {
  const child = await standby
  child.send('start')
  const { url } = await next<{ url: string }>(child)
  standby = loadServer()
  return { child, url }
}

/** Requests by what became of them; `lost` ones were cut off by a kill and may or may not have counted. */
type Tally = { acked: number; lost: number }

/** Asks in a loop until the server is gone. */
async function ask(url: string, apiKey: string, tally: Tally, isOver: () => boolean) {
  while (!isOver()) {
    const status = await post(`${url}/work`, apiKey, {})
    if (status === 200) tally.acked++
    else if (status === 0 && isOver()) tally.lost++
    else throw new Error(`answered ${status}`)
  }
}

/** 0: cut off by the kill. */
async function post(url: string, apiKey: string, body: object, headers: object = {}) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

type Purchase = { readonly id: string; readonly apiKey: string; readonly header: string } & Tally

const worker = await judge.createKey('worker', 1_000_000_000)
const claimer = await judge.createKey('claimer')
const payer = await createPerson(chain)
const client = new x402HTTPClient(
  new x402Client().register('eip155:8453', new ExactEvmScheme(payer.account)),
)
const charges: Tally = { acked: 0, lost: 0 }
const claiming: Tally = { acked: 0, lost: 0 }
const claims: Hex[] = []
const purchases: Purchase[] = []
const received = () =>
  readContract(chain.client.client, {
    address: chain.usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [chain.quotaManager],
  })

function count(tally: Tally, status: number) {
  if (status === 200) tally.acked++
  if (status === 0) tally.lost++
}

const claim = async (url: string, tx_hash: Hex) => {
  const body = { chain_id: 8453, tx_hash }
  const status = await post(`${url}/auth/quota/claim`, claimer.apiKey, body)
  count(claiming, status)
  return status
}
const pay = async (url: string, purchase: Purchase) =>
  count(
    purchase,
    await post(`${url}/work`, purchase.apiKey, {}, { 'payment-signature': purchase.header }),
  )

/** A new payment to claim, and a new key with a signed payment that has not been sent. */
async function prepare(url: string, name: string) {
  const { to, data } = transferUsdc(chain, chain.quotaManager, 1_000n)
  claims.push((await payer.send(to, data)).transactionHash)
  const buyer = await judge.createKey(name)
  const headers = { 'x-api-key': buyer.apiKey, 'content-type': 'application/json' }
  const offer = await fetch(`${url}/work`, { method: 'POST', headers, body: '{}' })
  await offer.arrayBuffer()
  const required = decodePaymentRequiredHeader(offer.headers.get('payment-required') ?? '')
  const header = encodeHeader(await client.createPaymentPayload(required))
  purchases.push({ ...buyer, header, acked: 0, lost: 0 })
}

async function killUnderLoad(name: string) {
  const { child, url } = await start()
  await prepare(url, name)
  let isOver = false
  const work = [
    ...Array.from({ length: 8 }, () => ask(url, worker.apiKey, charges, () => isOver)),
    ...claims.slice(-3).map((hash) => claim(url, hash)),
    // The last two: a client whose answer was lost sends its payment again.
    ...purchases.slice(-2).map((purchase) => pay(url, purchase)),
  ]
  const gone = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 250))
  isOver = true
  child.kill('SIGKILL')
  await gone
  await Promise.all(work)
}

/** Settles what was left open, then repeats every claim and payment once more; how many were settled. */
async function finish(): Promise<number> {
  const jobs = startAccessJobs(judge.deps, { everyMs: 200 })
  await jobs.runOnce()
  for (const hash of claims) assert.is(await claim(judge.url, hash), 200)
  let settled = 0
  for (const { id, apiKey, header, acked, lost } of purchases) {
    const body = { x402Version: 2, paymentPayload: JSON.parse(atob(header)) }
    const status = await post(`${judge.url}/x402/settle`, apiKey, body)
    // 402: killed before it was accepted, and expired since; then nothing was taken either.
    assert.ok(status === 200 || status === 402, `${status}`)
    const { total, used } = await judge.store.ledger.balance(id)
    assert.is(total, status === 200 ? 1_000 : 0)
    assert.ok(acked <= used && used <= acked + lost, `${acked} <= ${used} <= ${acked + lost}`)
    if (status === 200) settled++
  }
  await jobs.close()
  return settled
}

/** What the file itself says: logs credited twice without being taken back in between, and its integrity. */
function inspectFile() {
  const db = new Database(path, { readonly: true })
  const creditedTwice = db
    .prepare(
      `SELECT ref FROM ledger WHERE kind IN ('claim', 'clawback') GROUP BY ref
       HAVING count(*) <> 1 OR min(units) <= 0`,
    )
    .all()
  const integrity = db.pragma('integrity_check', { simple: true })
  db.close()
  return { creditedTwice, integrity }
}

s(
  `survives ${kills} kills in charges, claims and settlements: nothing lost, nothing twice [18/kill-access]`,
  async () => {
    const before = await received()
    for (let round = 0; round < kills; round++) await killUnderLoad(`buyer ${round}`)
    const cut = { claims: claiming.lost, payments: purchases.reduce((n, { lost }) => n + lost, 0) }
    const settled = await finish()
    const { used } = await judge.store.ledger.balance(worker.id)
    const { acked, lost } = charges
    reportFigures('charges, claims and settlements under kill -9', {
      kills,
      'charges acknowledged': acked,
      'charges in the ledger': used,
      'charges cut off': lost,
      claims: claims.length,
      'claims cut off': cut.claims,
      'payments settled': settled,
      'payments cut off': cut.payments,
    })
    assert.ok(acked <= used && used <= acked + lost)
    assert.is((await judge.store.ledger.balance(claimer.id)).total, 10 * kills)
    assert.is((await received()) - before, BigInt(kills) * 1_000n + BigInt(settled) * 100_000n)
    assert.equal(await judge.store.ledger.audit(), [])
    assert.equal(inspectFile(), { creditedTwice: [], integrity: 'ok' })
    const books = { databasePath: path, databaseUrl: undefined }
    assert.equal(await audit(books, { chains: [chain.client] }), [])
  },
)
s.run()
