import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Address, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { balanceOfCall } from '../../simulator/rpc/callShapes.ts'
import { startLabPool } from './labPool.ts'
import { type Lease, lease } from './lease.ts'
import { createLeasedChain } from './leaseChain.ts'

const s = suite('test kit')
const world = await startWorldChain({ chainId: 8453 })
const { chain, close } = createLeasedChain({ ...world, ...world.manifest })
const pool = await startLabPool({ size: 2 })
s.after(async () => {
  await pool.close()
  await close()
  await world.close()
})

type Ended = { readonly code: number | null; readonly output: string }
function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  const child = spawn(process.execPath, args, { env, cwd: import.meta.dirname })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}
const worker = join(import.meta.dirname, 'kitWorker.ts')
const somebody: Address = '0x00000000000000000000000000000000000a11ce'
const balanceOf = async (token: Address) =>
  BigInt(String(await chain.request('eth_call', [balanceOfCall(token, somebody), 'latest'])))

s('eight workers at once each find the chains as they were, and a key of their own', async () => {
  const ended = await Promise.all(Array.from({ length: 8 }, () => run([worker])))
  assert.equal(
    ended.map(({ code }) => code),
    Array(8).fill(0),
    ended.map(({ output }) => output).join('\n'),
  )
  const seen = ended.map(({ output }) => JSON.parse(output) as Record<string, unknown>)
  assert.is(new Set(seen.map(({ block }) => block)).size, 1)
  assert.is(new Set(seen.map(({ apiKey }) => apiKey)).size, 8)
  assert.ok(seen.every(({ quota }) => quota === 1000))
})
s('what a killed worker left is put back before the next one comes', async () => {
  assert.is((await run([worker, 'die'])).code, null)
  const { code, output } = await run([worker])
  assert.is(code, 0, output)
})
s('leases of both labs at once see nothing of each other, and a third waits', async () => {
  const [one, other] = await Promise.all([lease(), lease()])
  assert.is.not(one.services.routing, other.services.routing)
  assert.is.not(one.apiKey, other.apiKey)
  const [here, there] = [one.chain(8453), other.chain(8453)]
  const blocks = () => Promise.all([here, there].map((each) => each.request('eth_blockNumber')))
  const [hereAt, thereAt] = await blocks()
  await here.deal(zeroAddress, somebody, 5n)
  await here.mine(3)
  const balances = [here, there].map((each) => each.request('eth_getBalance', [somebody, 'latest']))
  assert.equal(await Promise.all(balances), ['0x5', '0x0'])
  assert.equal((await blocks())[1], thereAt)
  // A key is known to the gateway of its own lab only.
  const ask = ({ services }: Lease, key: string) =>
    fetch(`${services.routing}/auth/key-info`, { headers: { 'x-api-key': key } })
  assert.equal((await ask(one, one.apiKey)).status, 200)
  assert.equal((await ask(other, one.apiKey)).status, 401)
  const late = await lease({ timeoutMs: 50 }).catch((error: Error) => error.message)
  assert.match(String(late), /no lab of the pool was free/)
  await one.release()
  // Of the two only what was given back is free, and it is as it was.
  const next = await lease()
  assert.is(next.services.routing, one.services.routing)
  assert.is(await next.chain(8453).request('eth_blockNumber'), hereAt)
  await Promise.all([next.release(), other.release()])
})
s('deals every token of the world that can be dealt, and the native currency', async () => {
  const tokens = Object.values(world.manifest.tokens)
  for (const { address } of tokens) {
    await chain.deal(address, somebody, 4_711n)
    const balance = await balanceOf(address)
    // A token that counts in shares does not know every amount.
    assert.ok(balance >= 4_711n && balance <= 4_720n, `${balance} of ${address}`)
  }
  await chain.deal(zeroAddress, somebody, 5n)
  assert.is(BigInt(String(await chain.request('eth_getBalance', [somebody, 'latest']))), 5n)
  const nobody = await chain.deal(somebody, somebody, 1n).then(
    () => '',
    (error: Error) => error.message,
  )
  assert.match(nobody, 'tells no balance')
})
s('a snapshot can be gone back to again and again', async () => {
  const { address } = world.manifest.tokens['USDC'] ?? { address: zeroAddress }
  const start = await chain.snapshot()
  for (const amount of [1n, 2n, 3n]) {
    await chain.deal(address, somebody, amount)
    assert.is(await balanceOf(address), amount)
    await chain.revert(start)
    assert.is(await balanceOf(address), 4_711n)
  }
})
for (const [name, args] of [
  ['uvu', ['examples/uvu/example.ts']],
  ['node:test', ['--test', 'examples/nodeTest/example.ts']],
] as const)
  s(`the example of ${name} passes`, async () => {
    const { code, output } = await run(args)
    assert.is(code, 0, output)
  })
s('the example of vitest passes, its workers side by side on one lab', async () => {
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
  const { code, output } = await run([
    vitest,
    'run',
    '--config',
    'examples/vitest/vitest.config.ts',
  ])
  assert.is(code, 0, output)
  assert.match(output, /2 passed/)
})
s.run()
