import { assert, suite } from '../../../../fixtures/test.ts'
import type { PoolRecord } from '../../protocols/poolRecord.ts'
import {
  applyPoolChange,
  decodeChange,
  decodeHead,
  encodeChange,
  encodeHead,
  fromPoolEntry,
  fromTokenEntry,
  toPoolChange,
  toPoolEntry,
  toTokenEntry,
} from './feedCodec.ts'

const s = suite('what is written of pools for other gateways')
const address = '0x00000000000000000000000000000000000000Aa'
const pool: PoolRecord = {
  id: address.toLowerCase(),
  address,
  dex: 'uniswap-v3',
  protocol: 'uniswap_v3',
  tokens: ['0x01', '0x02'],
  feePips: 500,
  feePips1: 500,
  tickSpacing: 10,
  changedBlock: 7n,
  isFresh: [false, true],
  swapsSeen: 0,
  sqrtPriceX96: 2n ** 96n,
  tick: -5,
  liquidity: 10n ** 18n,
  ticks: [{ index: -10, gross: 5n, net: -5n }],
}
const nothing = { pools: [], tokens: [] }
/** As it arrives: through text. */
function send(before: PoolRecord | undefined, after: PoolRecord) {
  const text = encodeChange({ pools: [toPoolChange(before, after)], tokens: [], gone: nothing })
  const [change] = decodeChange(text).pools
  return { change, text, arrived: change && applyPoolChange(before, change) }
}

s('a new pool arrives whole', () => {
  const { change, arrived } = send(undefined, pool)
  assert.ok(change?.isWhole)
  assert.equal(arrived, pool)
})

s('of a swap only what it changed is sent', () => {
  const after = { ...pool, sqrtPriceX96: 2n ** 95n, tick: -7, swapsSeen: 1 }
  const { change, arrived } = send(pool, after)
  assert.equal(Object.keys(change?.fields ?? {}), ['swapsSeen', 'sqrtPriceX96', 'tick'])
  assert.equal(arrived, after)
})

s('a field that went is not left standing', () => {
  const before: PoolRecord = { ...pool, feeOracle: address }
  for (const after of [pool, { ...pool, feeOracle: undefined }]) {
    const { change, arrived } = send(before, after)
    assert.ok(change?.isWhole)
    assert.is(arrived && 'feeOracle' in arrived && arrived.feeOracle, false)
  }
})

s('the change of a pool that is not followed here is no pool', () => {
  const { change } = send(pool, { ...pool, tick: 1 })
  assert.is(change && applyPoolChange(undefined, change), undefined)
})

s('tokens arrive as they are, whatever they call themselves', () => {
  for (const symbol of ['n:5', 'n:x', '\n', '"', '🦄', '']) {
    const token = { address, symbol, decimals: 18 } as const
    const change = { pools: [], tokens: [token], gone: { pools: ['0x01'], tokens: ['0x02'] } }
    assert.equal(decodeChange(encodeChange(change)), change)
    assert.equal(fromTokenEntry(toTokenEntry(token)), token)
    assert.is(fromPoolEntry(toTokenEntry(token)), undefined)
  }
})

s('entries and heads come back as they went [nodes/coverage-shared]', () => {
  assert.equal(fromPoolEntry(toPoolEntry(pool)), pool)
  assert.is(fromTokenEntry(toPoolEntry(pool)), undefined)
  const head = { number: 2n ** 60n, hash: '0xaa', parentHash: '0xbb', timestampSecs: 9n } as const
  const told = {
    head,
    leftOut: [{ dex: 'x', reason: 'n:5 is no contract' }],
    leftOutPools: [{ dex: 'x', pool: '0x01', reason: 'it burns' }],
    coverage: ['x', 'y'].map((dex) => ({
      dex,
      known: 9,
      isSearched: dex === 'x',
      loaded: 5,
      refused: new Map(Object.entries(dex === 'x' ? { burns: 3 } : { shallow: 1, burns: 3 })),
      leftOut: dex === 'x' ? 'n:5 is no contract' : undefined,
    })),
  }
  assert.equal(decodeHead(encodeHead(told)), told)
})
s.run()
