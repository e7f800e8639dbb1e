import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  padHex,
  parseEther,
  toHex,
} from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { startTestLab } from './testing/testLab.ts'
import { createPerson } from './testing/testPerson.ts'

/** The lab in forked mode. The "real" Base is a chain of the offline world behind a URL with a secret. */
const upstream = await startWorldChain({ chainId: 8453 })
const secret = 'canary-key-4711'
const lab = await startTestLab({ BASE_RPC_URL: `${upstream.rpcUrl}/?key=${secret}` })
const forked = suite('forked lab')
forked.after(async () => {
  await lab.down()
  await upstream.close()
})

forked('forks the chain that has an RPC URL, offline the other [lab/forked]', () => {
  const { mode, chains } = lab.manifest()
  assert.is(mode, 'forked')
  const base = chains['8453']
  assert.ok(base && Object.keys(base.tokens).length >= 4, 'few tokens are funded')
  assert.ok(base.dexes.some(({ pools }) => pools > 0))
  for (const { funded } of base.accounts)
    assert.equal(Object.keys(funded).sort(), ['ETH', ...Object.keys(base.tokens)].sort())
  assert.is(chains['42161']?.accounts.length, 10)
})

forked(
  'quotes on the fork and swaps to the wei, leaving the real chain alone [lab/forked-swap]',
  async () => {
    const { chains, services, apiKey } = lab.manifest()
    const base = chains['8453']
    const [weth, usdc] = [base?.tokens['WETH'], base?.tokens['USDC']]
    const account = base?.accounts[0]
    if (!base || !weth || !usdc || !account) throw new Error('the manifest lacks something')
    const height = await createRpc(upstream.rpcUrl)('eth_blockNumber')
    const amountIn = parseEther('1')
    const response = await fetch(`${services.routing}/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        chain_id: 8453,
        token_in: weth.address,
        token_out: usdc.address,
        amount_in: String(amountIn),
        taker: account.address,
      }),
    })
    const quote = (await response.json()) as {
      output: string
      execution: { spender: Address; target: Address; calldata: Hex; value: Hex }
    }
    assert.is(response.status, 200, JSON.stringify(quote))
    const person = createPerson({ rpcUrl: base.rpcUrl, ...account })
    const { spender, target, calldata, value } = quote.execution
    await person.send({
      to: weth.address,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [spender, amountIn],
      }),
    })
    const before = await person.balanceOf(usdc.address)
    await person.send({ to: target, data: calldata, value: BigInt(value) })
    assert.is((await person.balanceOf(usdc.address)) - before, BigInt(quote.output))
    assert.is(await createRpc(upstream.rpcUrl)('eth_blockNumber'), height)
  },
)

forked('mines while many states that it has not read yet are asked for at once', async () => {
  const base = lab.manifest().chains['8453']
  const [account, other] = base?.accounts ?? []
  if (!base || !account || !other) throw new Error('the manifest lacks something')
  const rpc = createRpc(base.rpcUrl)
  const unread = (index: number) => padHex(toHex(index), { size: 20 })
  let mined = false
  const readAll = async (first: number) => {
    for (let index = first; !mined; index += 10)
      await Promise.all([
        rpc('eth_getStorageAt', base.tokens['WETH']?.address, toHex(index), 'latest'),
        rpc('eth_getBalance', unread(index), 'latest'),
        rpc('eth_getAccountInfo', unread(index + 1), 'latest'),
        rpc('eth_getTransactionReceipt', padHex(toHex(index), { size: 32 })),
      ])
  }
  const readers = [1_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000].map(readAll)
  const person = createPerson({ rpcUrl: base.rpcUrl, ...account })
  const before = await rpc('eth_getBalance', other.address, 'latest')
  try {
    for (let sent = 0; sent < 30; sent++) await person.send({ to: other.address, value: 1n })
  } finally {
    mined = true
  }
  await Promise.all(readers)
  const after = await rpc('eth_getBalance', other.address, 'latest')
  assert.is(BigInt(String(after)) - BigInt(String(before)), 30n)
})

forked('never shows the upstream URL', () => {
  const shown = [
    lab.printed,
    ...['manifest.json', 'gateway.log', 'status.json'].map((name) =>
      readFileSync(join(lab.dir, name), 'utf8'),
    ),
  ]
  for (const text of shown) assert.not.match(text, secret)
})

forked('says that an upstream is dead without showing its URL', async () => {
  let message = ''
  try {
    await startTestLab({ BASE_RPC_URL: `http://127.0.0.1:9/${secret}` })
  } catch (error) {
    message = String((error as { stderr?: string }).stderr)
  }
  assert.match(message, 'cannot fork base')
  assert.not.match(message, secret)
})

forked.run()
