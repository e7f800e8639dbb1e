import { type Address, getAddress, maxUint256, parseAbi } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { worldAddress } from '../../../../fixtures/world/parts/builder.ts'
import { allowUsdc, movePocket, setSavingsRate } from '../../testing/changePsm3.ts'
import { leaveShares } from '../../testing/changeVault.ts'
import { headNumber, loadFamily, reload } from '../../testing/proveFamily.ts'
import { routeOn } from '../../testing/proveRoutes.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { toTrial } from '../../testing/swapTrial.ts'
import { balancerV3Vault } from '../balancer/balancerV3Chain.ts'
import { toEnginePool } from '../families.ts'
import type { PoolRecord } from '../poolRecord.ts'
import type { Psm3Record } from './psm3Chain.ts'

const s = suite('wrappers as edges')
const stand = await startSwapStand(8453)
const routing = await routeOn(stand)
s.after(async () => {
  await routing.close()
  await stand.close()
})
const isPsm3 = (record: PoolRecord | undefined): record is Psm3Record => record?.protocol === 'psm3'
const [found] = await loadFamily(stand, 'psm3')
if (!isPsm3(found)) throw new Error('the world has a PSM3')
const psm = found
const tokenOf = (symbol: string) => getAddress(stand.manifest.tokens[symbol]?.address ?? '0x')
const [usdc, usds, susds, weth] = [
  tokenOf('USDC'),
  tokenOf('USDS'),
  tokenOf('sUSDS'),
  tokenOf('WETH'),
] as const
const vault = tokenOf('waBasUSDC')
const vaultAbi = parseAbi(['function setLimits(uint256 mostIn, uint256 mostOut)'])
const ray = 10n ** 27n
const million = 10n ** 12n

/** A busy machine reads a new block late, and is quoted from until then. */
async function reachHead(): Promise<void> {
  const head = await headNumber(stand)
  const deadline = performance.now() + 30_000
  const [status] = routing.status()
  while ((await status?.chain.sync.fresh())?.head.number !== head)
    if (performance.now() > deadline) throw new Error(`stuck before block ${head}`)
}

async function quote(tokenIn: Address, tokenOut: Address, amountIn: bigint) {
  await reachHead()
  const trade = { tokenIn, tokenOut, amountIn, slippageBps: 1, taker: stand.probe }
  const outcome = await routing.quote({ chainId: stand.chainId, ...trade })
  if (outcome.status !== 'ok' || !outcome.quote.execution) throw new Error(outcome.status)
  return { ...outcome.quote, execution: outcome.quote.execution }
}

async function send(tokenIn: Address, { execution }: Awaited<ReturnType<typeof quote>>) {
  const { data, value } = execution
  return stand.execute({ tokenIn, value, data })
}

s('dollars of every kind are changed at par, or at the savings rate [21/psm3]', async () => {
  for (const [tokenIn, tokenOut, amountIn, expected] of [
    [usdc, usds, million, 10n ** 24n],
    [usds, usdc, 10n ** 24n, million],
    [susds, usds, 10n ** 24n, (psm.rate * 10n ** 24n) / ray],
  ] as const) {
    const found = await quote(tokenIn, tokenOut, amountIn)
    assert.equal(
      found.steps.map(({ protocol }) => protocol),
      ['psm3'],
    )
    assert.is(found.amountOut, expected)
    const sent = await send(tokenIn, found)
    assert.equal([sent.ok, sent.amountOut], [true, expected])
  }
})

s('a longer route goes through it, to the wei [21/psm3-route]', async () => {
  const found = await quote(usds, weth, 10n ** 22n)
  assert.is(found.steps[0]?.protocol, 'psm3')
  assert.ok(found.steps.length > 1)
  const sent = await send(usds, found)
  assert.equal([sent.ok, sent.amountOut], [true, found.amountOut])
})

s('no more is promised than it holds, or than its pocket allows it [21/psm3-limits]', async () => {
  const [pocket, allowed] = [worldAddress('a pocket that allows little'), 10n ** 9n]
  const ofPsm = { psm: psm.address, usdc }
  const trial = (amountIn: bigint) => ({ i: 1, j: 0, amountIn })
  const most = allowed * 10n ** 12n
  await movePocket(stand, { ...ofPsm, to: pocket })
  await allowUsdc(stand, { ...ofPsm, owner: pocket, allowed })
  const record = await reload(stand, psm)
  for (const [amountIn, expected] of [
    [most, allowed],
    [most + 10n ** 12n, undefined],
  ] as const) {
    assert.is(toEnginePool(record).swap(1, 0, amountIn)?.amountOut, expected)
    const [outcome] = await stand.tryAll([toTrial(stand, record, trial(amountIn))])
    assert.is(outcome?.ok ? outcome.amountOut : undefined, expected)
  }
  // Its own event says that it moved: quotes find another way at once.
  const others = await quote(usds, usdc, 10n ** 24n).catch(() => undefined)
  assert.ok(others === undefined || others.steps.some(({ protocol }) => protocol !== 'psm3'))
  await allowUsdc(stand, { ...ofPsm, owner: pocket, allowed: maxUint256 })
  await movePocket(stand, { ...ofPsm, to: psm.address })
  assert.is((await quote(usds, usdc, 10n ** 24n)).amountOut, million)
})

s(
  'the savings rate moves by the second: a quote holds within its slippage [21/psm3-rate]',
  async () => {
    const block = (await stand.rpc('eth_getBlockByNumber', 'latest', false)) as {
      timestamp: string
    }
    const { rateProvider, rate: chi } = psm
    // Blocks of a quick machine share a second.
    const rhoSecs = Number(block.timestamp) - 12
    // Forty times the real rate, so that seconds show.
    const ssr = ray + 10n ** 20n
    await setSavingsRate(stand, { rateProvider, chi, ssr, rhoSecs })
    const [bought, sold] = [
      await quote(usds, susds, 10n ** 24n),
      await quote(susds, usds, 10n ** 24n),
    ]
    const record = await reload(stand, psm)
    if (!isPsm3(record)) throw new Error('it is one still')
    assert.ok(record.rate > chi)
    assert.is(bought.amountOut, (10n ** 24n * ray) / record.rate)
    await stand.rpc('evm_increaseTime', 12)
    const [less, more] = [await send(usds, bought), await send(susds, sold)]
    assert.ok(less.ok && less.amountOut < bought.amountOut && less.amountOut >= bought.minAmountOut)
    assert.ok(more.ok && more.amountOut > sold.amountOut)
  },
)
s(
  'a vault takes deposits and redeems shares, alone and on the way, to the wei [21/erc4626]',
  async () => {
    for (const [tokenIn, tokenOut, amountIn] of [
      [usdc, vault, million],
      [vault, usdc, million],
      [vault, weth, 10n ** 10n],
      [weth, vault, 10n ** 18n],
    ] as const) {
      const found = await quote(tokenIn, tokenOut, amountIn)
      assert.ok(found.steps.some(({ protocol }) => protocol === 'erc4626'))
      assert.is(found.source, 'rpc')
      const sent = await send(tokenIn, found)
      assert.equal([sent.ok, sent.amountOut], [true, found.amountOut])
    }
  },
)

s('a vault is asked for no more than it takes and gives [21/erc4626-limits]', async () => {
  const bound = (mostIn: bigint, mostOut: bigint) =>
    stand.builder.write({
      to: vault,
      abi: vaultAbi,
      functionName: 'setLimits',
      args: [mostIn, mostOut],
    })
  const [few, many] = [10n ** 8n, 10n ** 12n]
  const refused = (tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
    quote(tokenIn, tokenOut, amountIn).then(
      () => false,
      () => true,
    )
  await bound(few, few)
  assert.ok(await refused(usdc, vault, many))
  assert.ok(await refused(vault, usdc, many))
  for (const [tokenIn, tokenOut] of [
    [usdc, vault],
    [vault, usdc],
  ] as const) {
    const found = await quote(tokenIn, tokenOut, few / 2n)
    assert.ok((await send(tokenIn, found)).ok)
  }
  await bound(2n ** 256n - 1n, 2n ** 256n - 1n)
  assert.not(await refused(usdc, vault, many))
})

s(
  'a vault is believed to pay what a known holder may redeem, and no more [21/erc4626-holder]',
  async () => {
    const [record] = await loadFamily(stand, 'erc4626')
    if (!record) throw new Error('the world has a vault')
    const known = await stand.balanceOf(vault, balancerV3Vault)
    const trade = { i: 0, j: 1, amountIn: 4n * known }
    assert.ok((await stand.execute(toTrial(stand, record, trade))).ok)
    const sale = { i: 1, j: 0, amountIn: known + million }
    const [outcome] = await stand.tryAll([toTrial(stand, record, sale)])
    // Whoever swaps has more shares than anybody known, and would be paid for them.
    assert.ok(outcome?.ok)
    const ask = () =>
      quote(vault, usdc, sale.amountIn).then(
        ({ amountOut }) => amountOut,
        () => 0n,
      )
    assert.is(await ask(), 0n)
    await leaveShares(stand, vault)
    // Nothing tells of a transfer, but a deposit does.
    await stand.execute(toTrial(stand, record, { ...trade, amountIn: million }))
    assert.is(await ask(), outcome.amountOut)
  },
)
s.run()
