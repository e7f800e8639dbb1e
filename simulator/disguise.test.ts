import { type Hex, hexToBigInt, isAddress, numberToHex, pad } from 'viem'
import { createStandInFork } from '../fixtures/anvil/standInFork.ts'
import { assert, suite } from '../fixtures/test.ts'
import { type Disguise, makeCostume, randomAddress, randomBelow } from './disguise.ts'
import type { Generation } from './generation.ts'
import type { StateOverrides } from './rpc/callShapes.ts'
import { type RpcOutcome, RpcTransportError } from './rpc/rpcBatch.ts'
import { addressOf, refused, told, word } from './testing/answers.ts'

const s = suite('simulator/disguise')
const history = '0x0000F90827F1C53a10cb7A02335B175320002935'
const header = {
  hash: word(0xabn),
  gasLimit: '0x2625a00',
  miner: addressOf('9'),
  baseFeePerGas: '0x640',
  mixHash: word(5n),
}
const disguise: Disguise = {
  gas: 300_000n,
  gasPriceWei: 9_000n,
  blocksAhead: 0,
  blockTimeMs: 2_000,
}
type Given = {
  readonly change?: Partial<Disguise>
  readonly answer?: RpcOutcome | RpcTransportError
  readonly overrides?: StateOverrides
  readonly nowSecs?: bigint
}
const lastBlock = 16_390n

function open({ answer = told(header), overrides = {} }: Given = {}) {
  let given = answer
  const asked: unknown[] = []
  const { fork } = createStandInFork({
    async batch(calls, limits) {
      asked.push(...calls, limits)
      if (given instanceof RpcTransportError) throw given
      return [given]
    },
  })
  const generation: Generation = {
    blockNumber: lastBlock,
    blockHash: header.hash,
    timestampSecs: 1_000n,
    fork,
    overrides,
    condemn: () => undefined,
    slowFork: async () => fork,
  }
  return {
    asked,
    become(next: RpcOutcome) {
      given = next
    },
    make: ({ change, nowSecs = 1_000n }: Given = {}) =>
      makeCostume(generation, { disguise: { ...disguise, ...change }, nowSecs, timeoutMs: 4_000 }),
  }
}
async function dress(given: Given = {}) {
  const costume = await open(given).make(given)
  if (!costume) throw new Error('no costume')
  return costume
}

s(
  "is the fork's own block to the last field, with what a wallet would set [teeth/costume]",
  async () => {
    const { asked, make } = open()
    const costume = await make()
    assert.equal(asked, [
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { timeoutMs: 4_000 },
    ])
    assert.equal([costume?.gas, costume?.gasPriceWei], [numberToHex(300_000), 9_000n])
    assert.equal(costume?.blockOverrides, {
      time: numberToHex(1_000),
      baseFeePerGas: numberToHex(1_600),
      gasLimit: header.gasLimit,
      feeRecipient: header.miner,
      prevRandao: header.mixHash,
    })
    assert.equal(costume?.overrides, {})
    // One read of a block's header does for all.
    await make()
    assert.is(asked.length, 2)
  },
)
s('pays a little above the base fee, whatever less a wallet names [teeth/costume]', async () => {
  const priced = async (gasPriceWei: bigint) =>
    (await dress({ change: { gasPriceWei } })).gasPriceWei
  assert.equal(
    [await priced(0n), await priced(1_701n), await priced(1_702n)],
    [1_701n, 1_701n, 1_702n],
  )
})
s('has a purse and a reader that nobody can know beforehand [teeth/costume-random]', async () => {
  const [one, other] = [await dress(), await dress()]
  assert.ok(isAddress(one.reader) && one.reader !== other.reader)
  const gwei = 10n ** 9n
  for (const { purseWei } of [one, other])
    assert.ok(purseWei >= 20_000_000n * gwei && purseWei < 3_020_000_000n * gwei)
  assert.is.not(one.purseWei, other.purseWei)
  assert.is.not(randomAddress(), randomAddress())
  assert.equal([randomBelow(1n), randomBelow(0n), randomBelow(-1n)], [0n, 0n, 0n])
  const found = new Set(Array.from({ length: 200 }, () => randomBelow(2n)))
  assert.equal([...found].toSorted(), [0n, 1n])
})
s(
  'follows the block as others would, each with a hash that is kept [teeth/costume-ahead]',
  async () => {
    const { blockOverrides, overrides } = await dress({ change: { blocksAhead: 3 } })
    assert.equal(
      [blockOverrides['number'], blockOverrides['time']],
      [numberToHex(lastBlock + 3n), numberToHex(1_006)],
    )
    const hashes = blockOverrides['blockHash'] as Readonly<Record<string, Hex>>
    assert.equal(Object.keys(hashes), ['16391', '16392'])
    const [first, second] = Object.values(hashes)
    assert.ok(first !== second && first?.length === 66)
    // By a ring of 8,191 places.
    assert.equal(overrides, {
      [history]: {
        stateDiff: {
          [word(8n)]: header.hash,
          [word(9n)]: first,
          [word(10n)]: second,
        },
      },
    })
    const next = await dress({ change: { blocksAhead: 1 } })
    assert.equal(next.blockOverrides['blockHash'], {})
    assert.equal(Object.values(next.overrides), [{ stateDiff: { [word(8n)]: header.hash } }])
  },
)
s('has no number of its own where precompiles tell another one [teeth/costume-ahead]', async () => {
  const { blockOverrides, overrides } = await dress({
    change: { blocksAhead: 3 },
    overrides: { [addressOf('0')]: { code: '0xfe' } },
  })
  assert.equal([blockOverrides['number'], overrides], [undefined, {}])
  assert.is(blockOverrides['time'], numberToHex(1_006))
})
s(
  'is mined when it is sent where a chain has been quiet, and rounds up [teeth/costume-time]',
  async () => {
    const time = async (nowSecs: bigint, change: Partial<Disguise> = {}) =>
      hexToBigInt((await dress({ nowSecs, change })).blockOverrides['time'] as Hex)
    assert.equal([await time(1_030n), await time(1_031n)], [1_000n, 1_031n])
    const change = { blocksAhead: 3, blockTimeMs: 250 }
    assert.equal([await time(1_000n, change), await time(2_000n, change)], [1_001n, 2_001n])
    assert.is(await time(1_000n, { blocksAhead: 1, blockTimeMs: 1_001 }), 1_002n)
  },
)
s(
  'is none of a block of which a fork does not tell, until it does [teeth/costume-none]',
  async () => {
    const { hash, gasLimit, miner } = header
    for (const answer of [
      refused('busy'),
      told(null),
      new RpcTransportError('timeout'),
      told({ gasLimit, miner }),
      told({ hash, miner }),
      told({ hash, gasLimit }),
      told({ ...header, miner: 7 }),
    ]) {
      const { make, become } = open({ answer })
      assert.is(await make(), undefined)
      become(told(header))
      assert.ok(await make())
    }
    // Chains before London, and such that draw nothing.
    const old = await dress({ answer: told({ hash, gasLimit, miner }) })
    assert.equal(
      [old.blockOverrides['baseFeePerGas'], old.blockOverrides['prevRandao']],
      ['0x0', pad('0x', { size: 32 })],
    )
    assert.is(
      (await dress({ answer: told({ hash, gasLimit, miner }), change: { gasPriceWei: 0n } }))
        .gasPriceWei,
      1n,
    )
  },
)
s('has any purse from a fiftieth of an ether to three', async () => {
  const { make } = open()
  const costumes = await Promise.all(Array.from({ length: 2_000 }, () => make()))
  const purses = costumes.map((costume) => Number(costume?.purseWei) / 1e18)
  const [least, most] = [Math.min(...purses), Math.max(...purses)]
  assert.ok(least >= 0.02 && least < 0.1, `${least}`)
  assert.ok(most > 2.9 && most < 3.02, `${most}`)
})
s.run()
