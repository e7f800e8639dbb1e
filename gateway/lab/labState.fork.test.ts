import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { isRunning, signal } from '../../simulator/processes.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { backupDatabase } from '../store/backup.ts'
import { labFiles, readManifest, readStatus } from './labFiles.ts'
import { cliPath, testLabEnvironment } from './testing/testLab.ts'
import { createPerson } from './testing/testPerson.ts'

/** A lab that goes on: Base is a fork, Arbitrum is offline. */
const s = suite('lab --state')
const upstream = await startWorldChain({ chainId: 8453 })
const { env, dir, remove } = testLabEnvironment({ BASE_RPC_URL: upstream.rpcUrl, NO_COLOR: '1' })
const files = labFiles(env)
const stateDir = join(dirname(dir), 'kept lab')
const run = promisify(execFile)
const forkyard = (...args: readonly string[]) =>
  run(process.execPath, [cliPath, ...args], { env }).then(
    ({ stdout }) => stdout,
    (error: { stderr: string }) => error.stderr,
  )
const up = async () => {
  const said = await forkyard('lab-up', '--state', stateDir)
  assert.is(readStatus(files)?.phase, 'ready', said)
}
s.after(async () => {
  await forkyard('lab-down')
  await upstream.close()
  remove()
})

const chainOf = (id: number) => {
  const chain = readManifest(files).chains[id]
  const [weth, usdc, account] = [chain?.tokens['WETH'], chain?.tokens['USDC'], chain?.accounts[0]]
  if (!chain || !weth || !usdc || !account) throw new Error(`the lab lacks something of ${id}`)
  const person = createPerson({ rpcUrl: chain.rpcUrl, ...account })
  return { chain, weth, usdc, person, rpc: createRpc(chain.rpcUrl) }
}
/** As callers do: a 503 names when to ask again, as it does where a fork's reads stand in line. */
async function ask(path: string, body?: object) {
  const { services, apiKey } = readManifest(files)
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
  const send = () =>
    fetch(services.routing + path, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  let answer = await send()
  await waitFor(
    `an answer to ${path}`,
    async () => {
      if (answer.status !== 503) return true
      assert.ok(answer.headers.get('retry-after'))
      answer = await send()
      return answer.status !== 503
    },
    { everyMs: 1_000 },
  )
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
async function swap(chainId: number): Promise<void> {
  const { weth, usdc, person } = chainOf(chainId)
  const quote = await ask('/quote', {
    chain_id: chainId,
    token_in: '0x0000000000000000000000000000000000000000',
    token_out: usdc.address,
    amount_in: String(parseEther('1')),
    taker: person.address,
  })
  const { target, calldata, value } = quote['execution'] as Record<string, string>
  assert.ok(weth.decimals)
  await person.send({ to: target as Address, data: calldata as Hex, value: BigInt(value ?? 0) })
}
async function buyQuota(): Promise<Hex> {
  const { chain, usdc, person } = chainOf(8453)
  const args = [chain.quotaManager, 1_000_000n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  const txHash = await person.send({ to: usdc.address, data })
  await ask('/auth/quota/claim', { chain_id: 8453, tx_hash: txHash })
  return txHash
}
const quota = async () => (await ask('/auth/key-info'))['quota_remaining'] as number
async function observe(chainId: number) {
  const { usdc, person, rpc } = chainOf(chainId)
  const head = (await rpc('eth_getBlockByNumber', 'latest', false)) as Record<string, Hex>
  return {
    number: Number(head['number']),
    hash: head['hash'],
    secs: Number(head['timestamp']),
    usdc: await person.balanceOf(usdc.address),
    ether: await rpc('eth_getBalance', person.address, 'latest'),
  }
}
const blockHash = async (chainId: number, number: number) => {
  const block = await chainOf(chainId).rpc(
    'eth_getBlockByNumber',
    `0x${number.toString(16)}`,
    false,
  )
  return (block as { readonly hash: Hex }).hash
}

s('goes on after lab-down: key, quota, balances, blocks and clocks [lab/state]', async () => {
  await up()
  await swap(8453)
  await swap(42161)
  const bought = await buyQuota()
  await forkyard('lab', 'warp', '86400')
  await forkyard('lab', 'mine', '3', '--chain', 'arbitrum')
  const { apiKey } = readManifest(files)
  const before = { base: await observe(8453), arbitrum: await observe(42161), quota: await quota() }
  // As a terminal's Ctrl-C: to the whole group.
  const { pid = 0 } = readStatus(files) ?? {}
  process.kill(-pid, 'SIGINT')
  await waitFor('the lab is stopped', () => !isRunning(pid))
  assert.not(existsSync(dir))
  const [kept = ''] = readdirSync(stateDir).filter((name) => name.startsWith('kept-'))
  for (const name of readdirSync(join(stateDir, kept)))
    assert.not(readFileSync(join(stateDir, kept, name), 'latin1').includes(upstream.rpcUrl), name)

  await up()
  assert.is(readManifest(files).apiKey, apiKey)
  assert.is(await quota(), before.quota)
  for (const [id, was] of [
    [8453, before.base],
    [42161, before.arbitrum],
  ] as const) {
    const is = await observe(id)
    assert.is(await blockHash(id, was.number), was.hash)
    assert.is(is.number, was.number + 1)
    assert.ok(is.secs > was.secs && is.secs < was.secs + 600, `${is.secs} after ${was.secs}`)
    assert.equal([is.usdc, is.ether], [was.usdc, was.ether])
    await swap(id)
    assert.ok((await observe(id)).usdc > was.usdc)
  }
  const again = await ask('/auth/quota/claim', { chain_id: 8453, tx_hash: bought })
  assert.is(again['quota_remaining'], before.quota - 2)
})
s(
  'lets no second lab keep its state in the same folder, nor in its own [lab/state-once]',
  async () => {
    const other = testLabEnvironment({ FORKYARD_STATE: stateDir })
    const refused = await run(process.execPath, [cliPath, 'lab-up'], other).catch(
      (error: { stderr: string }) => error,
    )
    assert.match(refused.stderr, 'another lab keeps its state in')
    const inside = { env: { ...other.env, FORKYARD_STATE: join(other.dir, 'state') } }
    const lost = await run(process.execPath, [cliPath, 'lab-up'], inside).catch(
      (error: { stderr: string }) => error,
    )
    assert.match(lost.stderr, 'keep its state elsewhere')
    other.remove()
  },
)
s(
  'goes back to what was kept after kill -9, and takes a payment back whose block is gone [lab/state-killed]',
  async () => {
    const before = { quota: await quota(), base: await observe(8453) }
    const kept = () => readdirSync(stateDir).filter((name) => name.startsWith('kept-'))
    const keptAgain = async () => {
      const [old] = kept()
      await waitFor('it keeps by itself', () => kept()[0] !== old && kept().length === 1, {
        deadlineMs: 60_000,
      })
    }
    // Nothing is sent, so what is kept from now on is what is now; the first may have begun before.
    await keptAgain()
    await keptAgain()
    const [last = ''] = kept()
    const asKept = join(dirname(dir), 'as kept')
    cpSync(join(stateDir, last), asKept, { recursive: true })
    await buyQuota()
    assert.ok((await quota()) > before.quota)
    const { pid = 0 } = readStatus(files) ?? {}
    const gateway = readManifest(files).pid
    signal(pid, 'SIGKILL')
    signal(gateway, 'SIGKILL')
    await waitFor('both are gone', () => ![pid, gateway].some(isRunning))
    // What was bought may have been kept by now.
    for (const name of kept()) rmSync(join(stateDir, name), { recursive: true })
    renameSync(asKept, join(stateDir, last))
    // As if it had been killed between the copies of chain and database.
    await backupDatabase({
      path: files.database,
      to: join(stateDir, last, 'forkyard.sqlite'),
    })
    const lab = join(stateDir, last, 'lab.json')
    const text = readFileSync(lab, 'utf8')
    const seen = `"seenHead": ${before.base.number}`
    assert.match(text, seen)
    writeFileSync(lab, text.replace(seen, `"seenHead": ${before.base.number + 1}`))

    await up()
    assert.is(await blockHash(8453, before.base.number), before.base.hash)
    assert.is((await observe(8453)).usdc, before.base.usdc)
    await waitFor('the payment is taken back', async () => (await quota()) === before.quota, {
      deadlineMs: 60_000,
    })
    await swap(8453)
  },
)
s('says what a kept lab lacks to go on [lab/state-refused]', async () => {
  await forkyard('lab-down')
  const refused = await run(process.execPath, [cliPath, 'lab-up', '--state', stateDir], {
    env: { ...env, BASE_RPC_URL: '' },
  }).catch((error: { stderr: string }) => error)
  assert.match(refused.stderr, 'the kept base is a fork: set BASE_RPC_URL')
})
s('forgets what it kept when it is reset, and keeps anew [lab/state-reset]', async () => {
  await up()
  const before = await observe(42161)
  await forkyard('lab', 'reset')
  assert.ok((await observe(42161)).number < before.number)
  assert.is(await quota(), 100_000)
  await forkyard('lab-down')
  assert.is(readdirSync(stateDir).filter((name) => name.startsWith('kept-')).length, 1)
})
s.run()
