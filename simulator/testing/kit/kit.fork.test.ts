import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Address, zeroAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { balanceOfCall } from '../../callShapes.ts'
import { startLabPool } from './labPool.ts'
import { createLeasedChain } from './leaseChain.ts'

const s = suite('test kit')
const world = await startWorldChain({ chainId: 8453 })
const { chain, close } = createLeasedChain({ ...world, ...world.manifest })
const pool = await startLabPool()
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
  const vitest = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs')
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
