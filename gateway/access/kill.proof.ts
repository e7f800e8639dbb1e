import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { erc20Abi, type Hex } from 'viem'
import { readContract } from 'viem/actions'
import {
  connectChain,
  createPerson,
  startAccessStand,
  transferUsdc,
} from '../../fixtures/accessStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { encodeHeader } from './paymentRequired.ts'
import { startAccessJobs } from './startAccessJobs.ts'

/** 20 kills by default, so that it ends within minutes; more: `node gateway/access/kill.proof.ts 200`. */
const kills = Number(process.argv[2] ?? 20)
const s = suite('access/kill')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-kill-'))
const path = join(dir, 'gateway.db')
const world = await startWorldChain({ chainId: 8453 })
const chain = connectChain(world)
// Issues keys and judges the end; while the killed processes run it only shares their database file.
const judge = await startAccessStand({ worlds: [world], path, isSettling: true })
s.after(async () => {
  await judge.close()
  chain.client.close()
  await world.close()
  rmSync(dir, { recursive: true })
})

async function start(): Promise<{ child: ChildProcess; url: string }> {
  const file = join(import.meta.dirname, '../../fixtures/accessServer.ts')
  const child = fork(file, [path, '8453', world.rpcUrl])
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }))
    child.once('exit', () => reject(new Error('the server did not start')))
  })
  return { child, url }
}

type Tally = { acked: number; lost: number }

/** Asks in a loop until the server is gone; what had no answer then may or may not have been charged. */
async function ask(url: string, apiKey: string, tally: Tally, isOver: () => boolean) {
  while (!isOver()) {
    try {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const response = await fetch(`${url}/work`, { method: 'POST', headers, body: '{}' })
      await response.arrayBuffer()
      if (response.status === 200) tally.acked++
      else throw new Error(`answered ${response.status}`)
    } catch (error) {
      if (!isOver()) throw error
      tally.lost++
      return
    }
  }
}

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
    return 0 // killed under way: exactly what is being proved to be harmless
  }
}

const worker = await judge.createKey('worker', 1_000_000_000)
const claimer = await judge.createKey('claimer')
const payer = await createPerson(chain)
const client = new x402Client().register('eip155:8453', new ExactEvmScheme(payer.account))
const tally: Tally = { acked: 0, lost: 0 }
const claims: Hex[] = []
const payments: { apiKey: string; id: string; header: string }[] = []
const received = () =>
  readContract(chain.client.client, {
    address: chain.usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [chain.quotaManager],
  })
const claimOf = (url: string, tx_hash: Hex) =>
  post(`${url}/auth/quota/claim`, claimer.apiKey, { chain_id: 8453, tx_hash })

/** A new payment to claim, and a new key with a signed payment that has not been sent. */
async function prepare(url: string, name: string) {
  const { to, data } = transferUsdc(chain, chain.quotaManager, 1_000n)
  claims.push((await payer.send(to, data)).transactionHash)
  const buyer = await judge.createKey(name)
  const headers = { 'x-api-key': buyer.apiKey, 'content-type': 'application/json' }
  const offer = await fetch(`${url}/work`, { method: 'POST', headers, body: '{}' })
  const required = decodePaymentRequiredHeader(offer.headers.get('payment-required') ?? '')
  const payment = await new x402HTTPClient(client).createPaymentPayload(required)
  payments.push({ ...buyer, header: encodeHeader(payment) })
}

async function killUnderLoad(name: string) {
  const { child, url } = await start()
  await prepare(url, name)
  let isOver = false
  const work = [
    ...Array.from({ length: 8 }, () => ask(url, worker.apiKey, tally, () => isOver)),
    ...claims.slice(-3).map((hash) => claimOf(url, hash)),
    // The last two: a client whose answer was lost sends its payment again.
    ...payments
      .slice(-2)
      .map(({ apiKey, header }) =>
        post(`${url}/work`, apiKey, {}, { 'payment-signature': header }),
      ),
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
  for (const hash of claims) assert.is(await claimOf(judge.url, hash), 200)
  let settled = 0
  for (const { id, apiKey, header } of payments) {
    const body = { x402Version: 2, paymentPayload: JSON.parse(atob(header)) }
    const status = await post(`${judge.url}/x402/settle`, apiKey, body)
    // 402: killed before it was accepted, and expired since; then nothing was taken either.
    assert.ok(status === 200 || status === 402, `${status}`)
    assert.is((await judge.store.ledger.balance(id)).total, status === 200 ? 1_000 : 0)
    if (status === 200) settled++
  }
  await jobs.close()
  return settled
}

s(
  `survives ${kills} kills in charges, claims and settlements: nothing lost, nothing twice`,
  async () => {
    const before = await received()
    for (let round = 0; round < kills; round++) await killUnderLoad(`buyer ${round}`)
    const settled = await finish()
    const { used } = await judge.store.ledger.balance(worker.id)
    const { acked, lost } = tally
    process.stdout.write(
      `${kills} kills, ${settled} payments settled, ${acked} acknowledged, ${used} charged, ${lost} in flight\n`,
    )
    assert.ok(acked <= used && used <= acked + lost)
    assert.is((await judge.store.ledger.balance(claimer.id)).total, 10 * kills)
    assert.is((await received()) - before, BigInt(kills) * 1_000n + BigInt(settled) * 100_000n)
    assert.equal(await judge.store.ledger.audit(), [])
    assert.is(judge.store.db.pragma('integrity_check', { simple: true }), 'ok')
  },
)
s.run()
