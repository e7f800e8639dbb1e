import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { parsePaymentRequired } from '@x402/core/schemas'
import Table from 'cli-table3'
import { Type } from 'typebox'
import { startAccessStand } from '../../fixtures/access/accessStand.ts'
import { claimAttacks } from '../../fixtures/access/claimAttacks.ts'
import { chains } from '../chain/chains.ts'
import { endpoint } from '../http/endpoint.ts'

/**
 * What the payment side stands: 402s that x402's own client package decodes and validates, and the table of
 * attacks on claims, each tried on local chains. Usage: `npm run bench:access [requests]`.
 */
const requests = Number(process.argv[2] ?? 2_000)
const print = (text: string) => void process.stdout.write(`${text}\n`)

async function decodeOffers(): Promise<void> {
  const quote = endpoint({
    method: 'post',
    path: '/quote',
    summary: 'Costs one quote',
    input: Type.Object({}),
    output: Type.Object({}),
    auth: 'key',
    cost: 1,
    handle: async () => ({}),
  })
  const stand = await startAccessStand({
    chainIds: chains.map(({ chainId }) => chainId),
    isSettling: true,
    endpoints: [quote],
    change: { keyLimit: { unitsPerSec: 1e6, burst: 1e6 } },
  })
  const { apiKey: key } = await stand.createKey('poor')
  let valid = 0
  let bytes = 0
  let decodeMs = 0
  const started = performance.now()
  for (let index = 0; index < requests; index++) {
    const { headers } = await stand.call('/quote', { key, body: {} })
    const header = headers.get('payment-required') ?? ''
    const before = performance.now()
    const required = parsePaymentRequired(decodePaymentRequiredHeader(header))
    decodeMs += performance.now() - before
    bytes = header.length
    if (required.success && required.data.accepts.length === 2) valid++
  }
  const rps = (requests / (performance.now() - started)) * 1_000
  print(
    `402: ${valid}/${requests} decoded and valid by @x402/core, ${bytes} bytes, ` +
      `${((decodeMs / requests) * 1_000).toFixed(0)} µs each, ${rps.toFixed(0)} requests/s one by one`,
  )
  await stand.close()
}

const attackFiles = ['claimQuota.fork.test.ts', 'claimFaults.fork.test.ts', 'wallets.fork.test.ts']

async function tryAttacks(): Promise<void> {
  const held = new Set<string>()
  for (const file of attackFiles) {
    const child = fork(join(import.meta.dirname, '../access', file), { stdio: 'ignore' })
    child.on('message', (message) => {
      for (const attack of (message as { attacks: readonly string[] }).attacks) held.add(attack)
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) for (const attack of Object.keys(claimAttacks)) held.delete(attack)
  }
  const table = new Table({ head: ['attack', 'what', ''], style: { head: [], border: [] } })
  for (const [attack, what] of Object.entries(claimAttacks))
    table.push([attack, what, held.has(attack) ? 'holds' : 'FAILS'])
  print(table.toString())
  print(`claims: ${held.size}/${Object.keys(claimAttacks).length} rows of the table of attacks`)
  if (held.size < Object.keys(claimAttacks).length) process.exitCode = 1
}

await decodeOffers()
await tryAttacks()
