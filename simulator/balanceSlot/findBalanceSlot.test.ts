import { type Address, type Hex, hexToBigInt, numberToHex } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import {
  type AnsweredCall,
  addressOf,
  refused,
  reverted,
  simulated,
  told,
  word,
} from '../testing/answers.ts'
import { slotKey } from './balanceSlot.ts'
import { findBalanceSlot } from './findBalanceSlot.ts'

/** Beside tokens that are a formula from words of a storage to what they show. */
const s = suite('simulator/findBalanceSlot')
const token = addressOf('b')
const store = addressOf('c')
const holder: Address = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
const timeSecs = 1_000n
const unscaled = { shiftBits: 0, widthBits: 256, wordUnit: 1n, balanceUnit: 1n } as const
const mapping = (base: bigint, contract: Address = token) =>
  slotKey({ formula: 'solidity', contract, base: word(base), ...unscaled }, holder)

type Place = { readonly address: unknown; readonly storageKeys: unknown }
type Token = {
  readonly places: readonly Place[]
  /** What it shows while one word stands elsewhere; undefined: it reverts. */
  readonly shows: (key: Hex, value: bigint, contract: Address) => bigint | undefined
  /** What it shows after a transfer of a thousand. */
  readonly after?: (before: bigint) => bigint
  readonly transfers?: (key: Hex) => boolean
  /** In place of answers. */
  readonly fault?: (call: RpcCall) => RpcOutcome | undefined
}
type Overrides = Readonly<Record<Address, { readonly stateDiff: Readonly<Record<Hex, Hex>> }>>

const lessThousand = (before: bigint) => (before > 1_000n ? before - 1_000n : 0n)
function answer(
  { places, shows, after = lessThousand, transfers = () => true, fault }: Token,
  call: RpcCall,
): RpcOutcome {
  const failed = fault?.(call)
  if (failed) return failed
  const { method, params } = call
  if (method === 'eth_createAccessList') return told({ accessList: places, gasUsed: '0x1' })
  const [asked] = params as [
    { blockStateCalls: readonly [{ stateOverrides: Overrides; blockOverrides: object }] },
  ]
  const overrides =
    method === 'eth_simulateV1' ? asked.blockStateCalls[0].stateOverrides : (params[2] as Overrides)
  const [[contract, { stateDiff }]] = Object.entries(overrides) as unknown as [
    [Address, { stateDiff: Record<Hex, Hex> }],
  ]
  const [[key, value]] = Object.entries(stateDiff) as unknown as [[Hex, Hex]]
  const shown = shows(key, hexToBigInt(value), contract)
  if (method === 'eth_call')
    return shown === undefined ? refused('execution reverted', 3) : told(word(shown))
  const say = (balance: bigint | undefined): AnsweredCall =>
    balance === undefined ? reverted() : { returnData: word(balance) }
  assert.equal(asked.blockStateCalls[0].blockOverrides, { time: numberToHex(timeSecs) })
  return simulated([
    say(shown),
    transfers(key) ? {} : reverted(),
    say(shown === undefined ? undefined : after(shown)),
  ])
}
async function find(given: Token) {
  const batches: (readonly RpcCall[])[] = []
  const rpc = {
    async batch(calls: readonly RpcCall[], { timeoutMs }: { readonly timeoutMs: number }) {
      assert.is(timeoutMs, 4_000)
      batches.push(calls)
      return calls.map((call) => answer(given, call))
    },
    close: async () => undefined,
  }
  const verdict = await findBalanceSlot({ rpc, timeoutMs: 4_000 }, { token, holder, timeSecs })
  return { verdict, batches }
}
const verdictOf = async (given: Token) => (await find(given)).verdict
const found = (slot: object) => ({ status: 'found', slot })
const at = (...keys: readonly Hex[]) => ({ address: token, storageKeys: keys })
const plain: Token = { places: [at(mapping(9n))], shows: (_, value) => value }

s('is where the word is that a token shows, for every holder [teeth/slot-found]', async () => {
  const { verdict, batches } = await find(plain)
  const slot = { formula: 'solidity', contract: token, base: word(9n), ...unscaled }
  assert.equal(verdict, found(slot))
  // One round for the places, one for all questions about them.
  assert.equal(
    batches.map((calls) => calls.length),
    [1, 9],
  )
})
s('is in another contract, and part of a word, where that is so [teeth/slot-found]', async () => {
  const mask = 2n ** 96n - 1n
  const verdict = await verdictOf({
    places: [at(mapping(1n)), { address: store, storageKeys: [mapping(4n)] }],
    shows: (_, value, contract) => (contract === store ? (value >> 32n) & mask : 5n),
  })
  const slot = { formula: 'solidity', contract: store, base: word(4n) }
  assert.equal(verdict, found({ ...slot, ...unscaled, shiftBits: 32, widthBits: 96 }))
})
s('is what can be spent before what is only shown [teeth/slot-spent]', async () => {
  const [shown, spent] = [mapping(1n), mapping(2n)]
  const bases = async (given: Partial<Token>) => {
    const both = await Promise.all(
      [at(shown, spent), at(spent, shown)].map((place) =>
        verdictOf({ ...plain, ...given, places: [place] }),
      ),
    )
    return both.map((verdict) => verdict.status === 'found' && verdict.slot.base)
  }
  const second = [word(2n), word(2n)]
  assert.equal(await bases({ transfers: (key) => key === spent }), second)
  // A transfer that succeeds and moves nothing spends nothing.
  const still: Partial<Token> = {
    shows: (key, value) => (key === shown ? value : value >> 8n),
    after: (before) => (before > 2n ** 248n ? before : before - 1n),
  }
  assert.equal(await bases(still), second)
  // What shows its word as it is comes before what scales it.
  const scaled = (key: Hex, value: bigint) => (key === shown ? value / 3n : value)
  assert.equal(await bases({ shows: scaled }), second)
  // With nothing that can be spent, it is what is shown.
  assert.equal(await bases({ transfers: () => false, shows: scaled }), second)
  const cannot: Partial<Token> = {
    shows: scaled,
    transfers: (key) => key === shown,
  }
  assert.equal(await bases(cannot), [word(1n), word(1n)])
})
s(
  'counts in shares by the widest word that doubles what is shown [teeth/slot-scaled]',
  async () => {
    const scaleOf = async (shows: (value: bigint) => bigint | undefined) => {
      const verdict = await verdictOf({ ...plain, shows: (_, value) => shows(value) })
      if (verdict.status !== 'found') return verdict.status
      const { widthBits, wordUnit, balanceUnit, shiftBits } = verdict.slot
      return [shiftBits, widthBits, wordUnit, balanceUnit]
    }
    const rungs = [
      [250n, 256],
      [200n, 256],
      [125n, 128],
      [70n, 128],
    ] as const
    for (const [bits, widthBits] of rungs) {
      const unit = 1n << bits
      // What overflows on anything larger.
      const shows = (value: bigint) => (value > 2n * unit ? undefined : (value * 7n) / 5n)
      assert.equal(await scaleOf(shows), [0, widthBits, unit, (unit * 7n) / 5n])
    }
    const unit = 1n << 250n
    const double =
      (off: bigint, single = unit / 3n) =>
      (value: bigint) => {
        if (value === unit) return single
        return value === 2n * unit ? 2n * single + off : 0n
      }
    // A token may round by a unit or two.
    for (const off of [-2n, 2n]) assert.equal(await scaleOf(double(off)), [0, 256, unit, unit / 3n])
    for (const off of [-3n, 3n]) assert.is(await scaleOf(double(off)), 'not_found')
    assert.equal(await scaleOf(double(0n, 1_000_000n)), [0, 256, unit, 1_000_000n])
    assert.is(await scaleOf(double(0n, 999_999n)), 'not_found')
  },
)
s('is none where nothing that is read is shown [teeth/slot-none]', async () => {
  assert.is(
    await verdictOf({ ...plain, shows: () => 12_345n }).then(({ status }) => status),
    'not_found',
  )
  assert.is((await verdictOf({ ...plain, shows: () => undefined })).status, 'not_found')
  const { verdict, batches } = await find({ ...plain, places: [] })
  assert.equal([verdict, batches.length], [{ status: 'not_found' }, 1])
})
s('takes of a list of places what is one, and so many [teeth/slot-places]', async () => {
  const odd: readonly Place[] = [
    { address: 'nowhere', storageKeys: [mapping(9n)] },
    { address: 7, storageKeys: [mapping(9n)] },
    { address: token, storageKeys: 'none' },
    { address: token, storageKeys: [7, 'none'] },
  ]
  assert.is((await verdictOf({ ...plain, places: odd })).status, 'not_found')
  assert.is((await verdictOf({ ...plain, places: [...odd, at(mapping(9n))] })).status, 'found')
  const before = Array.from({ length: 47 }, (_, n) => mapping(1_000n + BigInt(n)))
  const shows: Token['shows'] = (key, value) => (key === mapping(9n) ? value : 0n)
  const behind = (...more: readonly Hex[]) =>
    verdictOf({ places: [at(...before, ...more, mapping(9n))], shows })
  assert.equal([(await behind()).status, (await behind(word(7n))).status], ['found', 'not_found'])
  const answered = (result: unknown) =>
    verdictOf({
      ...plain,
      fault: ({ method }) => (method === 'eth_createAccessList' ? told(result) : undefined),
    })
  for (const none of [null, {}, { accessList: 'none' }])
    assert.equal(await answered(none), { status: 'not_found' })
})
s("tells the chain's trouble from a token's [teeth/slot-trouble]", async () => {
  const failing = (method: string, message: string) =>
    verdictOf({
      ...plain,
      fault: (call) => (call.method === method ? refused(message) : undefined),
    })
  const away = 'failed to get storage for 0x1'
  assert.equal(await failing('eth_createAccessList', away), { status: 'rpc_error' })
  assert.equal(await failing('eth_createAccessList', 'reverted'), { status: 'not_found' })
  const hidden = (message: string) =>
    verdictOf({
      ...plain,
      shows: () => 1n,
      fault: ({ method }) => (method === 'eth_call' ? refused(message) : undefined),
    })
  assert.equal(await hidden(away), { status: 'rpc_error' })
  assert.equal(await hidden('reverted'), { status: 'not_found' })
  // What was found stands, whatever else was not read.
  assert.is((await failing('eth_call', away)).status, 'found')
})
s.run()
