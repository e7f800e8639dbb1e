import { assert, suite } from '../../fixtures/test.ts'
import { bumpFee } from '../signing/bumpFee.ts'
import { quoteFees, quoteReplacement, readFees } from './fees.ts'
import { defaultLimits } from './limits.ts'

const s = suite('relay fees')
const limits = { ...defaultLimits, maxRelayFeeWei: 10_000n, gasCap: 200 }
const snapshot = {
  baseFeePerGasWei: 10n,
  priorityFeePerGasWei: 2n,
  l1FeeWei: 100n,
  gasEstimate: undefined,
  relayerNonce: 0,
  timestampMs: 0,
}
const quote = (given: Partial<Parameters<typeof quoteFees>[0]> = {}, gasUsed = 100n) =>
  quoteFees({ ...snapshot, ...given }, { gasUsed, limits })

s('a tenth more gas and two full blocks of base fee, with the data fee [teeth/fees]', () => {
  assert.equal(quote(), {
    gas: 100n,
    gasLimit: 110n,
    maxFeePerGasWei: 22n,
    maxPriorityFeePerGasWei: 2n,
    l1FeeWei: 100n,
    feeWei: 1_300n,
    reservedWei: 2_520n,
  })
})
s('cut to what the ceiling leaves beside the data fee [teeth/fees]', () => {
  // 9,900 are left for 110 of gas: 90 each, where 122 would be signed.
  const dear = quote({ baseFeePerGasWei: 60n })
  assert.equal([dear.gasLimit, dear.maxFeePerGasWei, dear.reservedWei], [110n, 90n, 10_000n])
  // At 95 each they pay for 104 of gas.
  const dearer = quote({ baseFeePerGasWei: 93n })
  assert.equal([dearer.gasLimit, dearer.maxFeePerGasWei], [104n, 95n])
})
s(
  'never less than the gas it takes at the price of now, never above the gas cap [teeth/fees]',
  () => {
    const beyond = quote({ baseFeePerGasWei: 998n })
    assert.equal([beyond.gasLimit, beyond.maxFeePerGasWei], [100n, 1_000n])
    assert.is(quote({}, 190n).gasLimit, 200n)
    assert.is(quote({}, 300n).gasLimit, 300n)
  },
)
s('free gas is not divided by [teeth/fees]', () => {
  const free = quote({ baseFeePerGasWei: 0n, priorityFeePerGasWei: 0n })
  assert.equal([free.gasLimit, free.feeWei, free.reservedWei], [110n, 100n, 100n])
})
s("the higher of the dry run's gas and the node's estimate [teeth/fees]", () => {
  assert.is(quote({ gasEstimate: 150n }).gas, 150n)
  assert.is(quote({ gasEstimate: 50n }).gas, 100n)
})
s('a replacement bids an eighth more, rounded up, or the price of now [teeth/fees]', () => {
  assert.equal([0n, 1n, 8n, 9n, 16n].map(bumpFee), [0n, 2n, 9n, 11n, 18n])
  const last = { gasLimit: 120n, maxFeePerGasWei: 40n, maxPriorityFeePerGasWei: 8n }
  const { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei, feeWei, reservedWei } =
    quoteReplacement(quote(), last)
  assert.equal([gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei], [120n, 45n, 9n])
  assert.equal([feeWei, reservedWei], [5_500n, 5_500n])
  const cheap = { gasLimit: 90n, maxFeePerGasWei: 8n, maxPriorityFeePerGasWei: 1n }
  const again = quoteReplacement(quote(), cheap)
  assert.equal([again.gasLimit, again.maxFeePerGasWei, again.reservedWei], [110n, 22n, 2_520n])
  const tip = quoteReplacement(quote(), { ...cheap, maxPriorityFeePerGasWei: 800n })
  assert.is(tip.maxPriorityFeePerGasWei, 22n)
})
s('at one wei for a gas the ceiling counts as at any other price [teeth/fees]', () => {
  const low = { ...limits, maxRelayFeeWei: 204n }
  const facts = { ...snapshot, baseFeePerGasWei: 1n, priorityFeePerGasWei: 0n }
  assert.is(quoteFees(facts, { gasUsed: 100n, limits: low }).gasLimit, 104n)
})
/** Of a chain that answers so. */
async function readFrom(block: object | null, tip: string) {
  const answers: Record<string, unknown> = {
    ['eth_getBlockByNumber']: block,
    ['eth_maxPriorityFeePerGas']: tip,
    ['eth_getTransactionCount']: '0x9',
    ['eth_estimateGas']: '0x5',
  }
  const request = async ({ method }: { readonly method: string }) => answers[method]
  const chain = { client: { request }, chain: { l1Fee: 'arbitrum' } }
  const address = '0x0000000000000000000000000000000000000001'
  // Of a client only its requests.
  return readFees(chain as never, { relayer: address, factory: address, owner: address })
}
s(
  'a chain without a block has no fees, one without a base fee the tip alone [teeth/fees]',
  async () => {
    const said = await readFrom(null, '0x1').catch((error: Error) => error.message)
    assert.is(said, 'the chain has no latest block')
    const { baseFeePerGasWei, priorityFeePerGasWei } = await readFrom({ timestamp: '0x7' }, '0x3')
    assert.equal([baseFeePerGasWei, priorityFeePerGasWei], [0n, 3n])
  },
)
s('a tip is at most the base fee, or a million wei where that is less [teeth/fees]', async () => {
  const read = (baseFeePerGas: string, tip: string) =>
    readFrom({ baseFeePerGas, timestamp: '0x7' }, tip)
  assert.equal(await read('0x1', '0xffffff'), {
    baseFeePerGasWei: 1n,
    priorityFeePerGasWei: 1_000_000n,
    l1FeeWei: 0n,
    gasEstimate: 5n,
    relayerNonce: 9,
    timestampMs: 7_000,
  })
  assert.is((await read('0xf4241', '0xffffff')).priorityFeePerGasWei, 1_000_001n)
  assert.is((await read('0xf4241', '0x3')).priorityFeePerGasWei, 3n)
})
s.run()
