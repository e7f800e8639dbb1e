import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { send } from '../fixtures/chains/send.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { openInspector } from '../fixtures/soak/openInspector.ts'
import { sendFurtherTraffic } from '../fixtures/soak/sendFurtherTraffic.ts'
import { sendHonestTraffic } from '../fixtures/strangers/honestTraffic.ts'
import { chainId, register, rpcOf, tokenOf } from '../fixtures/strangers/stage.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startTestLab } from './lab/testing/testLab.ts'

/**
 * `node gateway/soak.proof.ts`: mixed traffic for an hour, and what is alive in the gateway's memory after full
 * collections, while nobody asks: it may not grow once its caches are full. PROOF=short: under a minute, which
 * caches take to fill, so that only what grows without a bound shows.
 */
const fillMs = byLength({ short: 10_000, long: 600_000 })
const soakMs = byLength({ short: 20_000, long: 3_000_000 })
/** What was asked has been answered and forgotten by then. */
const restMs = byLength({ short: 3_000, long: 15_000 })
const mostPerHour = 1_000_000
/** What caches may still take in of so short a time. */
const mostWhileFilling = 10_000_000

const s = suite('soak')
const lab = await startTestLab({
  TRUSTED_PROXIES: '127.0.0.1',
  FREE_QUOTA: '1000000',
  // Its inspector opens by a signal, at a free port.
  NODE_OPTIONS: '--inspect-port=0',
})
s.after(() => lab.down())
const manifest = lab.manifest()
const stage = { manifest }
const [, giver, , trader] = manifest.chains[chainId]?.accounts ?? []
if (!giver || !trader) throw new Error('the lab has no accounts')

const executor = manifest.chains[chainId]?.executor as Address
for (const name of ['WETH', 'USDC']) {
  const args = [executor, maxUint256] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  const wallet = { rpcUrl: rpcOf(stage), privateKey: trader.privateKey }
  await send(wallet, { to: tokenOf(stage, name), data })
}
/** Whoever asks for a proxy has had money for a while. */
async function prepareOwner(): Promise<Address> {
  const owner = privateKeyToAddress(generatePrivateKey())
  const wallet = { rpcUrl: rpcOf(stage), privateKey: giver?.privateKey ?? '0x' } as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [owner, 10n] })
  await send(wallet, { to: owner, value: 10n ** 16n })
  await send(wallet, { to: tokenOf(stage, 'USDC'), data })
  return owner
}
const owners: Address[] = []
while (owners.length < (fillMs + soakMs) / 15_000 + 4) owners.push(await prepareOwner())
const apiKey = await register(manifest, generatePrivateKey(), '192.0.2.11')
const otherKey = await register(manifest, generatePrivateKey(), '192.0.2.10')
const honest = {
  manifest,
  trader: trader.address,
  apiKey,
  otherKey,
  taker: giver.address,
  owners,
}
const inspector = await openInspector({
  pid: manifest.pid,
  logPath: join(lab.dir, 'gateway.log'),
})
s.after(() => inspector.close())

async function askFor(forMs: number) {
  const [samples, further] = await Promise.all([
    sendHonestTraffic(honest, forMs),
    sendFurtherTraffic({ manifest, apiKey, trader: trader as typeof giver & {} }, forMs),
  ])
  await wait(restMs)
  return { answers: [...samples, ...further], live: await inspector.collect() }
}
const filled = await askFor(fillMs)
const soaked = await askFor(soakMs)

s('answers everybody, and breaks down nowhere', () => {
  const all = [...filled.answers, ...soaked.answers]
  assert.ok(all.length > soakMs / 500, `${all.length} answers`)
  const broken = all.filter(({ status }) => status === 500)
  assert.equal(broken, [])
})

s('keeps no more alive than its caches hold', () => {
  const grown = soaked.live.heap + soaked.live.external - filled.live.heap - filled.live.external
  const perHour = (grown * 3_600_000) / soakMs
  const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10
  reportFigures('soak: what is alive in the gateway, in MB', {
    answers: soaked.answers.length,
    before: megabytes(filled.live.heap + filled.live.external),
    after: megabytes(soaked.live.heap + soaked.live.external),
    resident: megabytes(soaked.live.rss),
  })
  assert.ok(grown <= byLength({ short: mostWhileFilling, long: Number.POSITIVE_INFINITY }))
  assert.ok(perHour <= byLength({ short: Number.POSITIVE_INFINITY, long: mostPerHour }))
})
s.run()
