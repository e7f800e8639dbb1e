import { type Address, type Hex, numberToHex } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { send, waitForReceipt } from '../../fixtures/chains/send.ts'
import {
  giveNative,
  lyingToken,
  lyingTokenCode,
  ownerAt,
  prepareOwners,
  type RelayAnswerBody,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { revertChain } from '../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'

/** Each row of the interface document's gate table, through HTTP, on a real chain. */
const gate = suite('relay gates')
const chain = await startWorldChain({ chainId: 8453 })
const { chainId, manifest } = chain
const rpc = createRpc(chain.rpcUrl)
const stand = await startRelayStand({ chain })
let owners = 0
const nextOwner = () => ownerAt(owners++, 'gates')

async function ready(): Promise<Address> {
  const owner = nextOwner()
  await prepareOwners(chain, [owner])
  return owner
}
const ask = (owner: Address, tokenIn = lyingToken, amountIn: unknown = '1') =>
  stand.post({ chainId, owner, tokenIn, amountIn })

/** Its proxy, once it is in a block, for which no answer waits. anvil tells of code before it ends the block. */
async function deploy(owner: Address): Promise<Address> {
  const { status, body } = await ask(owner)
  assert.is(status, 200)
  const { proxy, txHash } = body
  if (!proxy || !txHash) throw new Error('a deployment was answered without its proxy')
  await waitForReceipt({ rpcUrl: chain.rpcUrl, hash: txHash })
  return proxy
}

function refused(answer: RelayAnswerBody, status: number, error: string) {
  assert.equal([answer.status, answer.body.error], [status, error])
}
const nonce = async () =>
  Number(await rpc('eth_getTransactionCount', stand.signer.address, 'pending'))
const setBaseFee = async (wei: bigint) => {
  await rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(wei))
  await rpc('evm_mine')
}

/** Runs with a changed chain and puts it back, whatever happens. */
async function withChange(change: () => Promise<unknown>, run: () => Promise<void>) {
  const snapshot = await rpc('evm_snapshot')
  const before = await rpc('eth_getBlockByNumber', 'latest', false)
  try {
    await change()
    await run()
  } finally {
    await revertChain(rpc, snapshot)
    await setBaseFee(BigInt((before as { baseFeePerGas: Hex }).baseFeePerGas))
  }
}

gate('1: an owner with a proxy gets it back and nothing is broadcast [relay/gate-1]', async () => {
  const owner = await ready()
  const proxy = await deploy(owner)
  const sent = await nonce()
  const again = await ask(owner)
  assert.equal([again.status, again.body], [200, { proxy, existing: true }])
  assert.is(await nonce(), sent)
})

gate(
  '1: an owner with a proxy gets it for an amount of zero, too [relay/zero-existing]',
  async () => {
    const owner = await ready()
    const proxy = await deploy(owner)
    for (const zero of ['0', 0]) {
      const { status, body } = await ask(owner, lyingToken, zero)
      assert.equal([status, body], [200, { proxy, existing: true }])
    }
  },
)

gate('2: zero is no amount for an owner without a proxy [relay/zero]', async () => {
  const sent = await nonce()
  const owner = await ready()
  for (const zero of ['0', 0]) {
    const answer = await ask(owner, lyingToken, zero)
    refused(answer, 400, 'amountIn must be positive')
    assert.is(answer.body.code, 'invalid_request')
  }
  assert.is(await nonce(), sent)
})

gate('2: an owner without enough of the token is refused [relay/gate-2]', async () => {
  const owner = nextOwner()
  await giveNative(rpc, owner)
  const usdc = manifest.tokens['USDC']?.address as Address
  refused(await ask(owner, usdc), 400, 'owner balance does not cover this amount')
})

gate(
  '2: an owner with exactly the amount passes, with one unit less does not [relay/gate-2-exact]',
  async () => {
    const owner = nextOwner()
    await giveNative(rpc, owner)
    const [account] = manifest.accounts
    const usdc = manifest.tokens['USDC']?.address as Address
    const word = (value: string) => value.replace('0x', '').toLowerCase().padStart(64, '0')
    const data: Hex = `0xa9059cbb${word(owner)}${word(numberToHex(1_000_000))}`
    await send({ rpcUrl: chain.rpcUrl, privateKey: account?.privateKey as Hex }, { to: usdc, data })
    refused(await ask(owner, usdc, '1000001'), 400, 'owner balance does not cover this amount')
    assert.is((await ask(owner, usdc, 1_000_000)).status, 200)
  },
)

gate('3: an owner without native balance is refused [relay/gate-3]', async () => {
  await rpc('anvil_setCode', lyingToken, lyingTokenCode)
  refused(await ask(nextOwner()), 400, 'owner has no native balance')
})

gate('4: a deployment that would revert is refused with its reason [relay/gate-4]', async () => {
  const owner = await ready()
  // Answers a zero word to everything but deploy(address), which reverts with Error("not today").
  const message = Buffer.from('not today').toString('hex')
  const code = `0x5f3560e01c634c96a3891460125760205ff35b6308c379a05f526020602052600960405268${message}60b81b6060526064601cfd`
  await withChange(
    () => rpc('anvil_setCode', manifest.proxyFactory, code),
    async () => {
      const { status, body } = await ask(owner)
      assert.equal([status, body.error], [400, 'simulation reverted: not today'])
    },
  )
})

gate('5: a deployment above the gas cap is refused [relay/gate-5]', async () => {
  const owner = await ready()
  const tight = await startRelayStand({ chain, limits: { gasCap: 50_000 } })
  const answer = await tight.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
  await tight.close()
  refused(answer, 400, 'proxy deployment exceeds the sponsored gas cap')
})

gate('6: a deployment dearer than the fee ceiling is refused [relay/gate-6]', async () => {
  const owner = await ready()
  await withChange(
    () => setBaseFee(5_000_000_000n),
    async () => {
      const answer = await ask(owner)
      refused(answer, 503, 'relay fee ceiling exceeded on this chain right now')
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
    },
  )
})

gate('7: a relayer below its minimum is refused [relay/gate-7]', async () => {
  const owner = await ready()
  await withChange(
    () => rpc('anvil_setBalance', stand.signer.address, numberToHex(10n ** 15n - 1n)),
    async () => {
      refused(await ask(owner), 503, 'relay is not funded on this chain')
    },
  )
})

gate('7: a relayer with exactly the minimum serves [relay/gate-7-exact]', async () => {
  const owner = await ready()
  await withChange(
    () => rpc('anvil_setBalance', stand.signer.address, numberToHex(10n ** 15n)),
    async () => {
      assert.is((await ask(owner)).status, 200)
    },
  )
})

gate(
  '8: a pending deployment answers with its own hash and nothing new is sent [relay/gate-8]',
  async () => {
    const owner = await ready()
    await rpc('evm_setAutomine', false)
    const first = await ask(owner)
    const sent = await nonce()
    const second = await ask(owner)
    assert.equal([first.status, second.status], [200, 200])
    assert.equal(second.body, first.body)
    assert.is(await nonce(), sent)
    await rpc('evm_setAutomine', true)
    await rpc('evm_mine')
  },
)

gate('9: the deployment after the last of the hour is refused [relay/gate-9]', async () => {
  const few = await startRelayStand({ chain, limits: { maxDeploysPerHour: 2 } })
  const answers = []
  for (let index = 0; index < 3; index += 1)
    answers.push(
      await few.post({ chainId, owner: await ready(), tokenIn: lyingToken, amountIn: '1' }),
    )
  await few.close()
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 429],
  )
  const last = answers.at(-1) as RelayAnswerBody
  refused(last, 429, 'sponsored proxy deploy limit is exhausted this hour')
  assert.is(Number(last.headers.get('retry-after')), last.body.retryAfterSec)
  assert.ok((last.body.retryAfterSec ?? 0) > 3500 && (last.body.retryAfterSec ?? 0) <= 3600)
})

gate('10: a deployment that would exceed the spend budget is refused [relay/gate-10]', async () => {
  const owner = await ready()
  const poor = await startRelayStand({ chain, limits: { maxSpendPerHourWei: 1_000n } })
  const answer = await poor.post({ chainId, owner, tokenIn: lyingToken, amountIn: '1' })
  await poor.close()
  refused(answer, 429, 'relay spend budget for this chain is exhausted this hour')
})

gate('P1: of several failing gates the first answers [relay/order]', async () => {
  const owner = nextOwner()
  const usdc = manifest.tokens['USDC']?.address as Address
  const strict = await startRelayStand({
    chain,
    limits: { gasCap: 50_000, maxRelayFeeWei: 1n, maxDeploysPerHour: 0, maxSpendPerHourWei: 0n },
  })
  const said = async (who: typeof stand, tokenIn: Address) =>
    (await who.post({ chainId, owner, tokenIn, amountIn: '1' })).body.error
  await rpc('anvil_setBalance', owner, '0x0')
  assert.is(await said(strict, usdc), 'owner balance does not cover this amount')
  assert.is(await said(strict, lyingToken), 'owner has no native balance')
  await giveNative(rpc, owner)
  assert.is(await said(strict, lyingToken), 'proxy deployment exceeds the sponsored gas cap')
  await strict.close()
  const ladder = [
    [{ maxRelayFeeWei: 1n }, 'relay fee ceiling exceeded on this chain right now'],
    [{}, 'relay is not funded on this chain'],
    [{ minRelayerBalanceWei: 0n }, 'sponsored proxy deploy limit is exhausted this hour'],
    [
      { minRelayerBalanceWei: 0n, maxDeploysPerHour: 60 },
      'relay spend budget for this chain is exhausted this hour',
    ],
  ] as const
  for (const [limits, sentence] of ladder) {
    const closed = {
      minRelayerBalanceWei: 10n ** 30n,
      maxDeploysPerHour: 0,
      maxSpendPerHourWei: 0n,
    }
    const one = await startRelayStand({ chain, limits: { ...closed, ...limits } })
    assert.is(await said(one, lyingToken), sentence)
    await one.close()
  }
})

const bad: readonly (readonly [string, unknown])[] = [
  ['no chainId', { chainId: undefined }],
  ['another chain', { chainId: 1 }],
  ['chainId as string', { chainId: '8453' }],
  ['no owner', { owner: undefined }],
  ['a short owner', { owner: '0x1234' }],
  ['the zero owner', { owner: `0x${'0'.repeat(40)}` }],
  ['a wrong checksum', { owner: '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }],
  ['a token that is no string', { tokenIn: 7 }],
  ['no amount', { amountIn: undefined }],
  ['a negative amount', { amountIn: '-1' }],
  ['a zero with a leading zero', { amountIn: '00' }],
  ['a fraction', { amountIn: 1.5 }],
  ['a decimal point', { amountIn: '1.5' }],
  ['hex', { amountIn: '0x10' }],
  ['an empty amount', { amountIn: '' }],
  ['2^256', { amountIn: String(2n ** 256n) }],
  ['a null amount', { amountIn: null }],
]
for (const [name, change] of bad)
  gate(`refuses ${name} before gate 1 [relay/bad-body]`, async () => {
    const body = { chainId, owner: ownerAt(0), tokenIn: lyingToken, amountIn: '1' }
    const answer = await stand.post({ ...body, ...(change as object) })
    assert.equal([answer.status, answer.body.code], [400, 'invalid_request'])
  })
gate('refuses a number that JSON cannot carry exactly [relay/unsafe-number]', async () => {
  const head = `{"chainId":${chainId},"owner":"${ownerAt(0)}","tokenIn":"${lyingToken}"`
  for (const number of ['1000000000000000000001', '9007199254740993', '1e30'])
    assert.is((await stand.post(`${head},"amountIn":${number}}`)).status, 400)
})
gate('shows operators all gates of an owner, and signs nothing [relay/examined]', async () => {
  const owner = nextOwner()
  const examine = async () =>
    (await stand.relay.examine(chainId, { owner, tokenIn: lyingToken, amountIn: 1n })) ?? []
  await prepareOwners(chain, [])
  const sent = await nonce()
  const poor = await examine()
  assert.equal(
    poor.map(({ step }) => step),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
  assert.equal(
    poor.filter(({ passes }) => !passes),
    [
      {
        step: 3,
        gate: 'Native balance',
        passes: false,
        sentence: 'owner has no native balance',
        numbers: [{ name: 'native balance', value: '0', unit: 'wei' }],
      },
    ],
  )
  await giveNative(rpc, owner)
  const open = await examine()
  assert.ok(open.every(({ passes, numbers }) => passes && numbers.length > 0))
  assert.is(await nonce(), sent)
  const proxy = await deploy(owner)
  const [first] = await examine()
  const { passes, sentence, numbers } = first ?? {}
  assert.equal([passes, sentence, numbers?.[0]?.value], [false, undefined, proxy])
  assert.is(await stand.relay.examine(1, { owner, tokenIn: lyingToken, amountIn: 1n }), undefined)
})
gate('refuses broken JSON and a megabyte', async () => {
  assert.is((await stand.post('{"chainId":')).status, 400)
  assert.is((await stand.post('[]')).status, 400)
  assert.is((await stand.post(`{"x":"${'a'.repeat(1_000_000)}"}`)).status, 413)
})
gate("says in its document what gate 6's fee is made of [relay/described]", async () => {
  const { paths } = (await stand.get('/openapi.json')).body as unknown as {
    paths: Record<string, { post: { description: string } }>
  }
  assert.match(paths['/api/proxy']?.post.description ?? '', 'L1 data fee')
})
gate(
  'says in /api/intents what it has spent and whether it can serve [relay/intents]',
  async () => {
    const { body } = await stand.get('/api/intents')
    const { chains } = body as unknown as { chains: Record<string, unknown>[] }
    const one = (await stand.get(`/api/intents?chainId=${chainId}`)).body as unknown
    assert.equal([one], chains)
    const rows = await stand.relay.history({})
    assert.ok(rows.length > 0)
    assert.equal(chains[0], {
      chainId,
      servable: true,
      factory: manifest.proxyFactory,
      relayer: stand.signer.address,
      deploysThisHour: rows.length,
      maxDeploysPerHour: 60,
      spendThisHourWei: String(rows.reduce((sum, { reservedWei }) => sum + reservedWei, 0n)),
      maxSpendPerHourWei: '20000000000000000',
      relayerBalanceWei: String(
        BigInt((await rpc('eth_getBalance', stand.signer.address, 'latest')) as Hex),
      ),
    })
    assert.is((await stand.get('/api/intents?chainId=1')).status, 400)
  },
)
const unservable = [
  ['fee_ceiling_exceeded', { maxRelayFeeWei: 1n }],
  ['relay_not_funded', { minRelayerBalanceWei: 10n ** 30n }],
  ['deploy_cap_reached', { maxDeploysPerHour: 0 }],
  ['spend_budget_exhausted', { maxSpendPerHourWei: 1n }],
] as const
for (const [reason, limits] of unservable)
  gate(
    `says in /api/intents that a chain cannot be served: ${reason} [relay/not-servable]`,
    async () => {
      const one = await startRelayStand({ chain, limits })
      const { status, body } = await one.get(`/api/intents?chainId=${chainId}`)
      const { servable, reason: said } = body as { servable?: boolean; reason?: string }
      await one.close()
      assert.equal([status, servable, said], [200, false, reason])
    },
  )

gate.after(async () => {
  await stand.close()
  await chain.close()
})
gate.run()
