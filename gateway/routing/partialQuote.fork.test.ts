import { encodeFunctionData, type Hex, numberToHex, parseAbi, zeroAddress } from 'viem'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startRoutingStand } from './testing/routingStand.ts'
import type { QuoteResponse } from './wire/quote.ts'

/** An amount that the only pool of a token cannot take, as a narrow position leaves it, sold for real. */
const s = suite('partial quotes')
const stand = await startRoutingStand()
s.after(() => stand.close())
const { chainId, manifest, account, token, world, balanceOf, submit } = stand
const { rpcUrl } = world
const rpc = createRpc(rpcUrl)
const weeth = token('weETH')
const ether = 10n ** 18n
const amountIn = 10_000n * ether

/** The pool keeps its narrow positions alone: an end on either side. */
async function takeFullRangeOut(): Promise<void> {
  const pools = [...(stand.routing.status()[0]?.state?.pools.values() ?? [])]
  const pool = pools.find(({ tokens }) => tokens.includes(weeth.toLowerCase()))
  const last = pool?.protocol === 'uniswap_v3' ? pool.ticks.at(-1) : undefined
  if (!pool || !last) throw new Error('the world has a Uniswap v3 pool of weETH')
  const from = manifest.seeder.address
  const abi = parseAbi(['function burn(int24 lower, int24 upper, uint128 liquidity)'])
  const data = encodeFunctionData({ abi, args: [-last.index, last.index, last.gross] })
  await rpc('anvil_impersonateAccount', from)
  await rpc('anvil_setBalance', from, numberToHex(ether))
  const hash = (await rpc('eth_sendTransaction', { from, to: pool.address, data })) as Hex
  assert.is((await waitForReceipt({ rpcUrl, hash })).status, 'success')
}

s(
  'spend what the pools take and no more, deliver their output to the wei, for about the gas they say [routing/partial-executed]',
  async () => {
    await takeFullRangeOut()
    await rpc('anvil_setBalance', account, numberToHex(2n * amountIn))
    const asked = { chain_id: chainId, token_in: zeroAddress, token_out: weeth, taker: account }
    const whole = { ...asked, amount_in: `${amountIn}` }
    assert.is((await stand.refusalOf('/quote', whole)).status, 404)
    const partly = { ...whole, allow_partial: true, verify: true }
    const quoted = await stand.get<QuoteResponse>('/quote', partly)
    const { execution, output, min_output, input_consumed, steps } = quoted
    const consumed = BigInt(input_consumed ?? amountIn)
    assert.ok(consumed > ether && consumed < amountIn, `${consumed}`)
    assert.is(quoted.route_readiness, 'verified')
    assert.is(execution?.value, numberToHex(consumed))
    assert.is(min_output, `${(BigInt(output) * 9_950n) / 10_000n}`)
    assert.is(steps[0]?.amount_in, `${consumed}`)
    if (!execution) throw new Error('there is a payload')

    const before = [await balanceOf(zeroAddress), await balanceOf(weeth)] as const
    const receipt = await submit({
      target: manifest.executor,
      data: execution.calldata as Hex,
      value: BigInt(execution.value),
    })
    const fee = receipt.gasUsed * receipt.effectiveGasPrice
    assert.is((await balanceOf(weeth)) - before[1], BigInt(output))
    assert.is(before[0] - (await balanceOf(zeroAddress)) - fee, consumed)
    assert.ok(receipt.gasUsed < 2n * BigInt(quoted.gas_estimate), `${receipt.gasUsed}`)
  },
)

s.run()
