import { createClient, custom, numberToHex, pad } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { base } from '../../chain/base.ts'
import type { Chain } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import {
  judgeCaps,
  judgeSettlement,
  raisedPrices,
  readPrice,
  settlementPrices,
} from './priceSettlement.ts'

const s = suite('x402/priceSettlement')
const limits = { maxFeeWei: 1_100n, maxPerHour: 3, maxSpendPerHourWei: 5_000n }
const prices = { gasLimit: 100n, maxFeePerGasWei: 10n, maxPriorityFeePerGasWei: 1n }
/** The worst case of one is 1,000 of gas and `l1FeeWei`. */
const judge = (l1FeeWei: bigint, count = 0, spendWei = 0n) =>
  judgeCaps(limits, { prices, l1FeeWei, book: { count, spendWei } })

s('lets exactly as many through in an hour as the cap says [x402/caps-exact]', () => {
  assert.is(judge(0n, 2), undefined)
  assert.is(judge(0n, 3), 'hourly_cap')
})
s(
  'lets a worst case of exactly the ceiling through, data fee included [x402/ceiling-exact]',
  () => {
    assert.is(judge(100n), undefined)
    assert.is(judge(101n), 'fee_ceiling')
  },
)
s('lets the hour spend exactly its budget, with the data fee of each [x402/spend-exact]', () => {
  assert.is(judge(0n, 2, 4_000n), undefined)
  assert.is(judge(0n, 2, 4_001n), 'hourly_spend')
  assert.is(judge(100n, 2, 3_700n), undefined)
  assert.is(judge(100n, 2, 3_701n), 'hourly_spend')
})

s('raises a stuck one to the price of now, at least by an eighth, at most to its ceiling', () => {
  const last = { gasLimit: 100n, maxFeePerGasWei: 8_000_000n, maxPriorityFeePerGasWei: 1_000_000n }
  const raise = (baseFeePerGasWei: bigint, maxFeeWei = 10n ** 18n) =>
    raisedPrices(last, { facts: { baseFeePerGasWei, l1FeeWei: 100n }, maxFeeWei })
  assert.is(raise(20_000_000n).maxFeePerGasWei, 41_000_000n)
  assert.is(raise(1_000_000n).maxFeePerGasWei, 9_000_000n)
  assert.is(raise(20_000_000n, 2_000_000_100n).maxFeePerGasWei, 20_000_000n)
  // Nodes take no less: the caps then keep it as it is.
  assert.is(raise(20_000_000n, 800_000_000n).maxFeePerGasWei, 9_000_000n)
  assert.is(raise(20_000_000n).maxPriorityFeePerGasWei, 1_125_000n)
})

s('signs a fifth more gas, two full blocks of base fee and a million of tip [teeth/settle]', () => {
  assert.equal(settlementPrices({ gas: 101n, facts: { baseFeePerGasWei: 7n } }), {
    gasLimit: 121n,
    maxFeePerGasWei: 1_000_014n,
    maxPriorityFeePerGasWei: 1_000_000n,
  })
})

s('reads what a price is made of, and the data fee where there is one [teeth/settle]', async () => {
  const block = { number: '0x64', timestamp: '0x7', transactions: [] }
  const read = (chain: Chain, baseFeePerGas?: string) => {
    const answers: Readonly<Record<string, unknown>> = {
      eth_getBlockByNumber: { ...block, ...(baseFeePerGas && { baseFeePerGas }) },
      eth_getTransactionCount: '0x5',
      eth_getBalance: '0x9',
      // The oracle of the data fee.
      eth_call: pad(numberToHex(11)),
    }
    const request = async ({ method }: { method: string }) => answers[method]
    const transport = custom({ request }, { retryCount: 0 })
    const client = createClient({ chain: toViemChain(chain), transport })
    const signer = { address: pad('0x1', { size: 20 }), token: pad('0x2', { size: 20 }) } as never
    return readPrice({ chainId: chain.chainId, client }, { signer, calldata: '0x01' })
  }
  const facts = { head: 100n, timestampMs: 7_000, nonce: 5, balanceWei: 9n }
  assert.equal(await read(base, '0x3'), { ...facts, baseFeePerGasWei: 3n, l1FeeWei: 11n })
  assert.equal(await read(arbitrum, '0x3'), { ...facts, baseFeePerGasWei: 3n, l1FeeWei: 0n })
  assert.is((await read(arbitrum)).baseFeePerGasWei, 0n)
})

const quiet = { open: 0, failed: 0, settled: 0, lastFailedMs: undefined }
type Given = Parameters<typeof judgeSettlement>[1]
const settle = (
  book: Partial<Given['book']> = {},
  given: Partial<Omit<Given, 'book'>> = {},
  own: Partial<Parameters<typeof judgeSettlement>[0]> = {},
) =>
  judgeSettlement({ ...limits, maxPerHour: 10, ...own } as never, {
    prices,
    facts: { l1FeeWei: 0n, balanceWei: 10n ** 18n },
    packAmount: 10n ** 9n,
    ...given,
    // Of the book what a settlement is judged by.
    book: {
      count: 0,
      spendWei: 0n,
      openWei: 0n,
      nowMs: 0,
      newcomers: { isOne: false, count: 0, spendWei: 0n },
      parties: { key: quiet, payer: quiet, code: quiet },
      ...book,
    } as never,
  })

s('settles where nothing stands against it, and for no nonce behind a gap [teeth/settle]', () => {
  assert.is(settle(), undefined)
  assert.is(settle({ missingNonce: 0 }), 'nonce_gap')
  assert.is(settle({ count: 10 }), 'hourly_cap')
})
s('the lowest caps of all gateways hold [teeth/settle]', () => {
  const lowestCaps = { maxPerHour: 2, maxSpendPerHourWei: 10n ** 18n }
  assert.is(settle({ count: 1, lowestCaps }), undefined)
  assert.is(settle({ count: 2, lowestCaps }), 'hourly_cap')
})
s(
  'keys without a settled payment share half of the hour, the first always may [teeth/settle]',
  () => {
    const newcomers = (count: number, spendWei = 0n) =>
      settle({ newcomers: { isOne: true, count, spendWei } })
    assert.is(newcomers(0, 10n ** 18n), undefined)
    assert.is(newcomers(4), undefined)
    assert.is(newcomers(5), 'hourly_cap')
    // 1,000 of its own beside what the others have of 2,500.
    assert.is(newcomers(1, 1_500n), undefined)
    assert.is(newcomers(1, 1_501n), 'hourly_spend')
    assert.is(settle({ newcomers: { isOne: false, count: 9, spendWei: 10n ** 18n } }), undefined)
  },
)
s('costs at worst no more than it earns, at 5,000 USD where nothing is said [teeth/settle]', () => {
  const dear = { prices: { ...prices, gasLimit: 10n ** 13n, maxFeePerGasWei: 10n } }
  const unbounded = { maxFeeWei: 10n ** 18n, maxSpendPerHourWei: 10n ** 18n }
  // 10^14 wei are 0.5 USD, and a millionth for what was rounded off.
  assert.is(settle({}, { ...dear, packAmount: 500_001n }, unbounded), undefined)
  assert.is(settle({}, { ...dear, packAmount: 500_000n }, unbounded), 'unprofitable')
  const dearest = { prices: { ...prices, gasLimit: 10n ** 17n, maxFeePerGasWei: 1n } }
  assert.is(settle({}, { ...dearest, packAmount: 500_000_001n }, unbounded), undefined)
  const cheap = { ...unbounded, usdPerNative: 2_500 }
  assert.is(settle({}, { ...dear, packAmount: 250_001n }, cheap), undefined)
  assert.is(settle({}, { ...dear, packAmount: 250_000n }, cheap), 'unprofitable')
})
s(
  'the signer has enough for all that is open, to the wei, data fee included [teeth/settle]',
  () => {
    const funded = (balanceWei: bigint, l1FeeWei = 0n) =>
      settle({ openWei: 300n }, { facts: { balanceWei, l1FeeWei } })
    assert.is(funded(1_300n), undefined)
    assert.is(funded(1_299n), 'unfunded')
    assert.is(funded(1_350n, 50n), undefined)
    assert.is(funded(1_349n, 50n), 'unfunded')
  },
)
s('who is barred is settled for no more [teeth/settle]', () => {
  const key = { ...quiet, failed: 3 }
  assert.is(settle({ parties: { key, payer: quiet, code: quiet } as never }), 'barred')
})

s.run()
