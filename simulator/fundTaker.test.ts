import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  toHex,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { type BalanceSlot, slotKey } from './balanceSlot/balanceSlot.ts'
import type { SlotVerdict } from './balanceSlot/findBalanceSlot.ts'
import type { Candidate } from './buildBundle.ts'
import type { Whale } from './findWhales.ts'
import { fundByWhale, fundTaker } from './fundTaker.ts'
import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'
import { addressOf, refused, told, word } from './testing/answers.ts'

const s = suite('simulator/fundTaker')
const token = addressOf('b')
const taker = addressOf('d')
const candidate: Candidate = {
  target: addressOf('a'),
  data: `0x01020304${addressOf('5').slice(2)}`,
  value: 0n,
  tokenIn: token,
  tokenOut: addressOf('c'),
  amountIn: 100n,
  spender: addressOf('f'),
}
const slot: BalanceSlot = {
  formula: 'solidity',
  contract: addressOf('9'),
  base: word(3n),
  shiftBits: 0,
  widthBits: 256,
  wordUnit: 1n,
  balanceUnit: 1n,
}
const packed: BalanceSlot = { ...slot, shiftBits: 8, widthBits: 96 }

type Given = {
  readonly verdict?: SlotVerdict
  readonly whales?: readonly Whale[]
  readonly stored?: RpcOutcome
  readonly exceptBy?: Address
}
async function fund(
  change: Partial<Candidate> = {},
  { verdict = { status: 'found', slot }, whales = [], stored, exceptBy }: Given = {},
) {
  const asked: unknown[] = []
  const rpc = {
    async batch(calls: readonly RpcCall[], limits: object) {
      asked.push(...calls, limits)
      return stored ? [stored] : []
    },
    close: async () => undefined,
  }
  const funding = await fundTaker(
    {
      rpc,
      timeoutMs: 4_000,
      blockNumber: 17n,
      slots: {
        async resolve(request) {
          const { token: of, holder, timeSecs, timeoutMs } = request
          asked.push({ of, holder, timeSecs, timeoutMs })
          return verdict
        },
        invalidate: () => undefined,
      },
      async findWhales({ token: of, blockNumber, most }) {
        asked.push({ whalesOf: of, blockNumber, most })
        return whales
      },
    },
    { candidate: { ...candidate, ...change }, taker, timeSecs: 7n, exceptBy },
  )
  return { funding, asked }
}
const fundingOf = async (...given: Parameters<typeof fund>) => (await fund(...given)).funding
const key = slotKey(slot, taker)
const overridden = (value: Hex, tolerance = 0n) => ({
  status: 'funded',
  overrides: { [slot.contract]: { stateDiff: { [key]: value } } },
  prelude: [],
  tolerance,
})
const refusedBy = (cause: string, reason: string) => ({
  status: 'refused',
  result: { status: 'simulation_unavailable', cause, reason },
})
const unreached = refusedBy('rpc_error', 'the chain did not answer in time')
const unfunded = refusedBy('slot_not_found', 'balance slot not found')

s(
  'writes the amount where its token keeps it, asking nothing else [teeth/funded-slot]',
  async () => {
    const { funding, asked } = await fund()
    assert.equal(funding, overridden(word(100n)))
    assert.equal(asked, [{ of: token, holder: taker, timeSecs: 7n, timeoutMs: 4_000 }])
    // What it holds is more than what it sells, where that is to show.
    assert.equal(await fundingOf({ heldAmount: 150n }), overridden(word(150n)))
  },
)
s('leaves what else is in the word as it is, or writes none [teeth/funded-slot]', async () => {
  const verdict = { status: 'found', slot: packed } as const
  const stored = told(word((5n << 104n) + 7n))
  const { funding, asked } = await fund({}, { verdict, stored })
  assert.equal(funding, overridden(word((5n << 104n) + (100n << 8n) + 7n)))
  assert.equal(asked.slice(1), [
    { method: 'eth_getStorageAt', params: [slot.contract, key, 'latest'] },
    { timeoutMs: 4_000 },
  ])
  for (const answer of [refused('failed to get storage'), told(null)])
    assert.equal(await fundingOf({}, { verdict, stored: answer }), unreached)
  const reason = 'balance slot not found: the amount does not fit the token'
  assert.equal(
    await fundingOf({ amountIn: 1n << 96n }, { verdict, stored }),
    refusedBy('slot_not_found', reason),
  )
})
s('allows for what a token that counts in shares rounds [teeth/funded-slot]', async () => {
  const shares: BalanceSlot = { ...slot, wordUnit: 1n, balanceUnit: 4n }
  const funding = await fundingOf({}, { verdict: { status: 'found', slot: shares } })
  assert.equal(funding, overridden(word(26n), 10n))
})
s(
  'gives nothing to whom it is to have itself, or of the native currency [teeth/funded-not]',
  async () => {
    for (const change of [{ funding: 'real' }, { tokenIn: zeroAddress }] as const) {
      const { funding, asked } = await fund(change)
      assert.equal(funding, { status: 'funded', overrides: {}, prelude: [], tolerance: 0n })
      assert.equal(asked, [])
    }
  },
)
s('refuses where the chain does not say where balances lie [teeth/funded-not]', async () => {
  const rich = { holder: addressOf('7'), balance: 999n }
  const { funding, asked } = await fund({}, { verdict: { status: 'rpc_error' }, whales: [rich] })
  assert.equal([funding, asked.length], [unreached, 1])
})

const verdict = { status: 'not_found' } as const
const whale = (digit: string, balance: bigint): Whale => ({
  holder: getAddress(addressOf(digit)),
  balance,
})
const paidBy = ({ holder }: Whale, amount = 100n) => ({
  status: 'funded',
  overrides: {},
  prelude: [
    {
      from: holder,
      to: token,
      gas: toHex(2_000_000n),
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'transfer',
        args: [taker, amount],
      }),
    },
  ],
  tolerance: 2n ** 256n,
  payer: holder,
})

s('has the first pay who has enough and no part in it [teeth/funded-whale]', async () => {
  const enough = whale('7', 100n)
  const { funding, asked } = await fund({}, { verdict, whales: [whale('6', 99n), enough] })
  assert.equal(funding, paidBy(enough))
  assert.equal(asked.at(-1), { whalesOf: token, blockNumber: 17n, most: undefined })
  // The calldata names the first, who is the target, gets the allowance, or has paid before.
  for (const digit of ['5', 'a', 'f', '8'])
    assert.equal(
      await fundingOf(
        {},
        {
          verdict,
          whales: [whale(digit, 900n), enough],
          exceptBy: getAddress(addressOf('8')),
        },
      ),
      paidBy(enough),
      digit,
    )
  // Only the whole of an address names somebody.
  const like: Whale = { holder: getAddress(`0x6${'5'.repeat(39)}`), balance: 900n }
  assert.equal(await fundingOf({}, { verdict, whales: [like] }), paidBy(like))
  const bare = await fundingOf({ spender: undefined }, { verdict, whales: [whale('f', 900n)] })
  assert.equal(bare, paidBy(whale('f', 900n)))
  assert.equal(await fundingOf({ heldAmount: 101n }, { verdict, whales: [enough] }), unfunded)
})
s('has nobody pay where nobody can, or where nobody need [teeth/funded-whale]', async () => {
  assert.equal(await fundingOf({}, { verdict }), unfunded)
  const own = { status: 'funded', overrides: {}, prelude: [], tolerance: 2n ** 256n }
  const whales = [whale('7', 900n)]
  assert.equal(await fundingOf({ ownAmount: 100n }, { verdict, whales }), own)
  assert.equal(await fundingOf({ ownAmount: 99n }, { verdict, whales }), paidBy(whale('7', 0n)))
  assert.equal(await fundingOf({ amountIn: 1n }, { verdict, whales }), paidBy(whale('7', 0n), 1n))
  assert.equal(await fundingOf({ amountIn: 0n }, { verdict, whales }), own)
})
s('reads the balances of so many as it is told [teeth/funded-whale]', async () => {
  let most: number | undefined
  await fundByWhale(
    {
      rpc: { batch: async () => [] },
      blockNumber: 1n,
      mostWhales: 8,
      async findWhales(asked) {
        most = asked.most
        return []
      },
    },
    { candidate, taker },
  )
  assert.is(most, 8)
})
s.run()
