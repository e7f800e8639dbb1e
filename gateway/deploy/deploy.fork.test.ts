import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Address, type Hex, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createRpc, type Rpc } from '../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import { writeKeystore } from '../../fixtures/deploy/writeKeystore.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { openStore } from '../store/openStore.ts'
import type { Deployment } from './deploymentFile.ts'
import { planDeployment } from './planDeployment.ts'
import { sendDeployment } from './sendDeployment.ts'

/** The command as an operator runs it, against chains that have the CREATE2 deployer. */
const s = suite('forkyard deploy')
const run = promisify(execFile)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-deploy-'))
const startChain = async (chainId: number) => {
  const { rpcUrl, close } = await startWorldChain({ chainId })
  return { rpcUrl, rpc: createRpc(rpcUrl), close }
}
const [base, arbitrum] = await Promise.all([startChain(8453), startChain(42161)])
s.after(async () => {
  await Promise.all([base.close(), arbitrum.close()])
  rmSync(dir, { recursive: true })
})

const treasury: Address = '0x000000000000000000000000000000000000bEEF'
let people = 0

/** An account of its own for each test: a keystore, its address, its folder. */
async function createOperator({
  rpcs = [base.rpc],
  ether = '1',
}: {
  rpcs?: Rpc[]
  ether?: string
} = {}) {
  const privateKey = generatePrivateKey()
  const home = join(dir, String(people++))
  const files = writeKeystore(mkdtempSync(join(dir, 'operator-')), privateKey)
  const { address } = privateKeyToAccount(privateKey)
  for (const rpc of rpcs) await rpc('anvil_setBalance', address, toHex(parseEther(ether)))
  const keys = ['--keystore', files.keystorePath, '--password-file', files.passwordPath]
  return { address, privateKey, keys, out: home }
}
const cli = join(import.meta.dirname, '..', 'cli.ts')
const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', BASE_RPC_URL: base.rpcUrl }

async function forkyard(args: readonly string[], env: NodeJS.ProcessEnv = environment) {
  return run(process.execPath, [cli, 'deploy', ...args], { env }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  )
}
const onBase = ['--chain', 'base', '--treasury', treasury, '--confirmations', '1']
const readFile = (out: string, chain = 'base') =>
  JSON.parse(readFileSync(join(out, `${chain}.json`), 'utf8')) as Deployment

s('shows addresses, gas and settings before anything is sent [deploy/dry-run]', async () => {
  const { address } = await createOperator()
  const { code, text } = await forkyard([...onBase, '--from', address, '--dry-run'])
  assert.is(code, 0, text)
  const plan = planOf(address)
  for (const { name, address: at } of plan) assert.match(text, new RegExp(`${name} +${at}`))
  assert.match(text, /SwapExecutor +0x\w+ +[1-9]\d{5,}/)
  assert.match(text, /\d+ gas at \d+ wei: about 0\.0\d+ ETH/)
  assert.match(text, 'dry run: nothing was sent')
  const executor = plan.find(({ name }) => name === 'SwapExecutor')?.address
  assert.match(text, `BASE_EXECUTOR=${executor}\n`)
  assert.is(await base.rpc('eth_getCode', executor, 'latest'), '0x')
})

type Begun = { readonly before: unknown; readonly asked: { sender: Address; missing: string[] } }

async function readLog(databasePath: string) {
  const store = openStore({ path: databasePath })
  const entries = [...(await store.operatorLog.list(9))].reverse()
  store.close()
  return entries
}

const planOf = (sender: Address, chainId = 8453) => {
  const chain = getChain(chainId)
  if (!chain) throw new Error(`no chain ${chainId}`)
  return planDeployment({ chain, sender, quota: { treasury, amountPerQuote: 100n } })
}

s(
  'deploys, writes the file, prints settings that stand, and has nothing to do again [deploy/keystore]',
  async () => {
    const { address, privateKey, keys, out } = await createOperator()
    const databasePath = join(dir, 'gateway.sqlite')
    const named = { ...environment, DATABASE_PATH: databasePath }
    const { code, text } = await forkyard([...onBase, ...keys, '--out', out], named)
    assert.is(code, 0, text)
    const entries = await readLog(databasePath)
    assert.equal(
      entries.map(({ command, subject, phase }) => [command, subject, phase]),
      [
        ['deploy', 'base', 'begun'],
        ['deploy', 'base', 'done'],
      ],
    )
    const { before, asked } = JSON.parse(entries[0]?.detail ?? '') as Begun
    assert.equal([before, asked.sender], [null, address])
    assert.ok(asked.missing.includes('SwapExecutor'))
    assert.equal(JSON.parse(entries[1]?.detail ?? ''), { after: readFile(out) })
    for (const { detail } of entries) assert.not.match(detail, privateKey.slice(2))
    assert.not.match(text, privateKey.slice(2))
    assert.not.match(text, base.rpcUrl)
    const file = readFile(out)
    assert.is(file.sender, address)
    for (const planned of planOf(address)) {
      assert.is(file.contracts[planned.name]?.address, planned.address)
      assert.is.not(await base.rpc('eth_getCode', planned.address, 'latest'), '0x', planned.name)
    }
    assert.match(file.contracts['SwapExecutor']?.transaction ?? '', /^0x[0-9a-f]{64}$/)
    const nonce = await base.rpc('eth_getTransactionCount', address, 'latest')
    const again = await forkyard([...onBase, ...keys, '--out', out])
    assert.match(again.text, /SwapExecutor +0x\w+ +stands/)
    assert.is(await base.rpc('eth_getTransactionCount', address, 'latest'), nonce)
    assert.equal(readFile(out), file)
  },
)

s(
  'has the same addresses on every chain, whose arguments differ [deploy/same-addresses]',
  async () => {
    const { address, keys, out } = await createOperator({ rpcs: [base.rpc, arbitrum.rpc] })
    for (const [chain, { rpcUrl }] of [
      ['base', base],
      ['arbitrum', arbitrum],
    ] as const) {
      const terms = ['--treasury', treasury, '--confirmations', '1', '--out', out]
      const args = ['--chain', chain, '--rpc', rpcUrl, ...terms, ...keys]
      const { code, text } = await forkyard(args)
      assert.is(code, 0, text)
    }
    const addressesOn = (chain: string) =>
      Object.entries(readFile(out, chain).contracts).map(([name, one]) => [name, one.address])
    assert.equal(addressesOn('base'), addressesOn('arbitrum'))
    const executor = planOf(address).find(({ name }) => name === 'SwapExecutor')?.address
    const codes = await Promise.all(
      [base, arbitrum].map(({ rpc }) => rpc('eth_getCode', executor, 'latest')),
    )
    assert.is.not(codes[0], codes[1])
  },
)

s('goes on where a killed run was, and waits for what that had sent [deploy/resume]', async () => {
  const { address, keys, out } = await createOperator()
  await base.rpc('evm_setAutomine', false)
  const child = spawn(process.execPath, [cli, 'deploy', ...onBase, ...keys, '--out', out], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes(': sent 0x')) resolve()
    })
    child.once('close', () => reject(new Error('it ended before it sent anything')))
  })
  child.kill('SIGKILL')
  await ended
  const second = forkyard([...onBase, ...keys, '--out', out])
  await base.rpc('evm_setAutomine', true)
  await base.rpc('evm_mine')
  const { code, text } = await second
  assert.is(code, 0, text)
  assert.is((await forkyard(['--chain', 'base', '--verify', '--out', out])).code, 0)
  const missing = planOf(address).filter(({ name }) => readFile(out).contracts[name]?.transaction)
  // One transaction of the killed run and one for each contract of the second: none was sent twice.
  const nonce = Number(await base.rpc('eth_getTransactionCount', address, 'latest'))
  assert.is(nonce, missing.length + 1)
})

s('is not held up by who sends what all operators share first [deploy/front-run]', async () => {
  const { rpcUrl, rpc, close } = await startChain(8453)
  const { address, privateKey } = await createOperator({ rpcs: [rpc] })
  const [managerLens, poolLens, probeLens] = planOf(address)
  if (!managerLens || !poolLens || !probeLens) throw new Error('the plan lacks lenses')
  const chain = getChain(8453)
  if (!chain) throw new Error('no chain 8453')
  const chainClient = createChainClient({ chain, rpcUrls: [rpcUrl], trust: 'shown' })
  const stranger: Address = `0x${'57'.repeat(20)}`
  await rpc('anvil_setBalance', stranger, toHex(parseEther('999')))
  await rpc('anvil_impersonateAccount', stranger)
  const overtake = ({ to, data }: { to: Address; data: Hex }, gasPrice: bigint) =>
    rpc('eth_sendTransaction', {
      from: stranger,
      to,
      data,
      gas: toHex(8_000_000),
      // Above what the sender offers by the last block's prices.
      gasPrice: toHex(gasPrice),
    })
  const said: string[] = []
  let onSent = () => undefined as unknown
  const sending = sendDeployment(
    {
      ...chainClient,
      account: privateKeyToAccount(privateKey),
      report: (line) => {
        said.push(line)
        if (line.includes(': sent ')) onSent()
      },
    },
    { missing: [managerLens, poolLens, probeLens], confirmations: 1 },
  )
  assert.match((await sending.next()).value?.transaction ?? '', /^0x/)
  // Before its turn, and then while its transaction waits.
  await waitForReceipt({ rpcUrl, hash: (await overtake(poolLens, 10n ** 11n)) as Hex })
  assert.equal(Object.keys((await sending.next()).value ?? {}).sort(), ['codeHash', 'contract'])
  await rpc('evm_setAutomine', false)
  onSent = () => overtake(probeLens, 10n ** 13n).then(() => rpc('evm_mine'))
  assert.equal(Object.keys((await sending.next()).value ?? {}).sort(), ['codeHash', 'contract'])
  assert.is(said.filter((line) => line.endsWith('put there by another')).length, 2)
  chainClient.close()
  await close()
})

s('refuses other code where a contract belongs, and says which [deploy/other-code]', async () => {
  const { address, keys, out } = await createOperator()
  const executor = planOf(address).find(({ name }) => name === 'SwapExecutor')?.address
  await base.rpc('anvil_setCode', executor, '0x6001')
  const { code, text } = await forkyard([...onBase, ...keys, '--out', out])
  assert.is(code, 1)
  assert.match(text, `other code stands where these belong: SwapExecutor (${executor})`)
})

s(
  'writes for a hardware wallet what, sent in order, is the same deployment [deploy/ledger]',
  async () => {
    const { address, out } = await createOperator()
    const path = join(dir, 'transactions.json')
    const { text } = await forkyard([...onBase, '--from', address, '--ledger-json', path])
    const transactions = JSON.parse(readFileSync(path, 'utf8')) as {
      chainId: number
      to: Hex
      data: Hex
      gas: Hex
    }[]
    assert.match(text, `${transactions.length} transactions to sign, in order`)
    await base.rpc('anvil_impersonateAccount', address)
    for (const { chainId, to, data, gas } of transactions) {
      assert.is(chainId, 8453)
      const hash = (await base.rpc('eth_sendTransaction', { from: address, to, data, gas })) as Hex
      await waitForReceipt({ rpcUrl: base.rpcUrl, hash })
    }
    for (const { name, address: at } of planOf(address))
      assert.is.not(await base.rpc('eth_getCode', at, 'latest'), '0x', name)
    assert.is((await forkyard(['--chain', 'base', '--verify', '--out', out])).code, 1)
  },
)

s('verifies a running set, and names what is not as it should be [deploy/verify]', async () => {
  const { address, keys, out } = await createOperator()
  const verify = (env = environment) => forkyard(['--chain', 'base', '--verify', '--out', out], env)
  assert.match((await verify()).text, 'holds no deployment of base')
  await forkyard([...onBase, ...keys, '--out', out])
  const good = await verify()
  assert.is(good.code, 0, good.text)
  assert.is(good.text.match(/ ok *$/gm)?.length, planOf(address).length)
  const elsewhere = await verify({ ...environment, BASE_EXECUTOR: treasury })
  assert.is(elsewhere.code, 1)
  assert.match(elsewhere.text, 'BASE_EXECUTOR names another contract')
  const quota = readFile(out).contracts['QuotaManager']
  await base.rpc('anvil_setCode', quota?.address, '0x6001')
  assert.match((await verify()).text, /QuotaManager +0x\w+ +other code than was deployed/)
  await base.rpc('anvil_setCode', quota?.address, '0x')
  const gone = await verify()
  assert.is(gone.code, 1)
  assert.match(gone.text, /QuotaManager +0x\w+ +no code on the chain/)
  assert.match(gone.text, '1 of 9 are not as they should be')
})

s('names the first mistake before it sends anything', async () => {
  const poor = await createOperator({ ether: '0.000001' })
  assert.match(
    (await forkyard([...onBase, ...poor.keys, '--out', poor.out])).text,
    /has 0\.000001 ETH and needs about 0\.0\d+/,
  )
  const { address, keys, out } = await createOperator()
  const wrongChain = ['--chain', 'base', '--rpc', arbitrum.rpcUrl]
  assert.match(
    (await forkyard([...wrongChain, ...keys, '--out', out])).text,
    'the RPC endpoint configured for chain 8453 serves chain 42161',
  )
  assert.match((await forkyard(['--chain', 'solana'])).text, 'must be one of base, arbitrum')
  assert.match((await forkyard(onBase)).text, 'give --keystore')
  assert.match((await forkyard([...onBase, '--from', address])).text, '--from sends nothing')
  assert.match(
    (await forkyard([...onBase, '--keystore', keys[1] ?? ''])).text,
    '--keystore needs --password-file',
  )
  assert.match(
    (await forkyard(onBase, { ...environment, BASE_RPC_URL: '' })).text,
    'give --rpc or set BASE_RPC_URL',
  )
  writeFileSync(join(dir, 'base.json'), '{}')
  assert.match(
    (await forkyard(['--chain', 'base', '--verify', '--out', dir])).text,
    'is no deployment of forkyard',
  )
})
s.run()
