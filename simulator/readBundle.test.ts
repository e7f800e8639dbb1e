import {
  type Address,
  encodeAbiParameters,
  encodeErrorResult,
  pad,
  parseAbi,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { buildBundle, type Candidate, heldOf } from './buildBundle.ts'
import type { Holding } from './holdingsReader.ts'
import { readBundle } from './readBundle.ts'
import { createErrorTable } from './revertReason.ts'
import type { RpcOutcome } from './rpc/rpcBatch.ts'
import {
  type AnsweredCall,
  addressOf,
  pairs,
  refused,
  reverted,
  simulated,
} from './testing/answers.ts'
import { plainSwap } from './testing/plainSwap.ts'

/** What is made of the answer to a bundle. */
const s = suite('simulator/readBundle')
const taker = addressOf('d')
const candidate = plainSwap
const gasCap = 2_000_000n
type More = {
  readonly holders?: readonly Address[]
  readonly tolerance?: bigint
  readonly costume?: Parameters<typeof buildBundle>[0]['costume']
}
function reader(change: Partial<Candidate> = {}, { tolerance = 0n, ...more }: More = {}) {
  const asked = { ...candidate, ...change }
  const bundle = buildBundle({
    candidate: asked,
    taker,
    holders: [taker],
    funding: {},
    gasCap,
    timeSecs: 1n,
    baseOverrides: {},
    ...more,
  })
  const expected = { amount: heldOf(asked), tolerance }
  return (outcome: RpcOutcome) =>
    readBundle(outcome, { bundle, gasCap, errors: createErrorTable([]), expected })
}
const fine: AnsweredCall = {}
const swapped: AnsweredCall = { gasUsed: '0x15f90' }
const ok = (amountOut: bigint, gasUsed = 90_000n) => ({
  kind: 'done',
  result: { status: 'ok', amountOut, gasUsed },
})
const unfunded = (more = '') => ({
  kind: 'misfunded',
  result: {
    status: 'simulation_unavailable',
    cause: 'slot_not_found',
    reason: `balance slot not found${more}`,
  },
})
const nothing = {
  kind: 'no_output',
  result: { status: 'simulation_failed', reason: 'no output received' },
}
const garbled = {
  kind: 'done',
  result: {
    status: 'simulation_unavailable',
    cause: 'rpc_error',
    reason: 'the fork gave no readable answer',
  },
}

s('is what the taker has more of, and the gas of its own call [teeth/reading]', () => {
  const read = reader()
  assert.equal(read(simulated([fine, pairs(100n, 5n), swapped, pairs(25n)])), ok(20n))
})
s(
  'is nothing where the taker did not have what it sells, to the unit [teeth/reading-funds]',
  () => {
    const have = (held: bigint | undefined, tolerance?: bigint) =>
      reader(
        {},
        tolerance === undefined ? {} : { tolerance },
      )(simulated([fine, pairs(held, 5n), swapped, pairs(25n)]))
    for (const held of [undefined, 0n, 99n, 101n]) assert.equal(have(held), unfunded(), `${held}`)
    assert.equal([have(101n, 1n), have(100n, 1n)], [ok(20n), ok(20n)])
    assert.equal([have(102n, 1n), have(99n, 1n)], [unfunded(), unfunded()])
    // What it sells it has to hold, and more where it shows what would be taken.
    const rich = reader({ heldAmount: 150n })
    const holds = (held: bigint) => rich(simulated([fine, pairs(held, 5n), swapped, pairs(25n)]))
    assert.equal([holds(150n), holds(100n)], [ok(20n), unfunded()])
  },
)
s('is nothing where the token refuses the approval that counts [teeth/reading-funds]', () => {
  const refusal = unfunded(': the token refuses the approval')
  const calls = [pairs(100n, 5n), swapped, pairs(25n)]
  assert.equal(reader()(simulated([reverted(), ...calls])), refusal)
  const real = reader({ funding: 'real' })
  const [approves, looks] = [
    [fine, reverted()],
    [pairs(5n), swapped, pairs(25n)],
  ]
  assert.equal(real(simulated([...approves, ...looks])), refusal)
  // Some tokens refuse to be reset.
  assert.equal(real(simulated([...approves.toReversed(), ...looks])), ok(20n))
  assert.equal(
    reader({ tokenIn: zeroAddress })(simulated([pairs(5n), swapped, pairs(25n)])),
    ok(20n),
  )
})
s('is no verdict where it cannot be read, whoever wrote it [teeth/reading-garbled]', () => {
  const read = reader()
  const calls = [fine, pairs(100n, 5n), swapped, pairs(25n)]
  for (const outcome of [
    simulated(calls.slice(1)),
    simulated([...calls, fine]),
    { ok: true, result: null } as const,
    { ok: true, result: [{ calls: 'none' }] } as const,
    simulated(calls.with(2, { logs: [{ address: 'x', topics: [], data: '0x' }] })),
  ])
    assert.equal(read(outcome), garbled)
})
s('says why it was refused, and whether more gas may help [teeth/reading-halt]', () => {
  const read = reader()
  assert.is(read(refused('intrinsic gas too high', -32000)).kind, 'out_of_gas')
  assert.equal(read(refused('missing keys', -32602)), {
    kind: 'done',
    result: {
      status: 'simulation_unavailable',
      cause: 'rpc_error',
      reason: 'the fork refused the simulation',
    },
  })
  const halt = (swap: AnsweredCall) => read(simulated([fine, pairs(100n, 5n), swap, pairs(5n)]))
  const why = (reason: string) => ({ status: 'simulation_failed', reason })
  assert.equal(halt(reverted('0x', '0x1e847f')), {
    kind: 'done',
    result: why('execution reverted without a reason'),
  })
  assert.equal(halt(reverted('0x', '0x1e8480')), {
    kind: 'out_of_gas',
    result: why('gas cap exceeded'),
  })
  const abi = parseAbi(['error Error(string)'])
  const words = encodeErrorResult({ abi, errorName: 'Error', args: ['too little'] })
  assert.equal(halt(reverted(words)), { kind: 'done', result: why('too little') })
})
s('is nothing received where nobody watched has more [teeth/reading-output]', () => {
  const read = reader()
  for (const [before, after] of [
    [5n, 5n],
    [5n, 4n],
    [5n, undefined],
    [undefined, 5n],
  ] as const)
    assert.equal(
      read(simulated([fine, pairs(100n, before), swapped, pairs(after)])),
      nothing,
      `${before} ${after}`,
    )
})
s("is the taker's own gain, else the best of those who are named [teeth/reading-output]", () => {
  const holders = [taker, addressOf('1'), addressOf('2')]
  const read = reader({}, { holders })
  const gain = (...gains: readonly (bigint | undefined)[]) =>
    read(simulated([fine, pairs(100n, 1n, 2n, 3n), swapped, pairs(...gains)]))
  assert.equal(gain(2n, 90n, 3n), ok(1n))
  assert.equal([gain(1n, 5n, 12n), gain(1n, 11n, 6n)], [ok(9n), ok(9n)])
  assert.equal(gain(0n, 11n, undefined), ok(9n))
  assert.equal([gain(1n, 2n, 3n), gain(0n, 1n, 2n)], [nothing, nothing])
})
s(
  'leaves out what the taker paid for gas, of the currency that it buys [teeth/reading-gas]',
  () => {
    const costume = {
      gas: '0x1e8480',
      gasPriceWei: 3n,
      reader: addressOf('7'),
      purseWei: 0n,
      blockOverrides: {},
      overrides: {},
    } as const
    const buys = (tokenOut: Address, holder: Address) =>
      reader(
        { tokenOut },
        { costume, holders: [holder] },
      )(simulated([fine, pairs(100n, 1_000_000n), swapped, pairs(1_000_020n)]))
    assert.equal(buys(zeroAddress, taker), ok(270_020n))
    assert.equal(buys(zeroAddress, addressOf('1')), ok(20n))
    assert.equal(buys(candidate.tokenOut, taker), ok(20n))
    // More than it got, and it has less in the end.
    const read = reader({ tokenOut: zeroAddress }, { costume })
    const poorer = simulated([fine, pairs(100n, 1_000_000n), swapped, pairs(730_001n)])
    assert.equal(read(poorer), ok(1n))
  },
)
s('says what was done to the taker besides, by its logs first [teeth/reading-effects]', () => {
  const holdings: readonly Holding[] = [
    { contract: addressOf('3'), data: '0x05', loss: 'fall', sentence: 'takes shares' },
  ]
  const stolen = {
    address: addressOf('4'),
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      pad(taker),
      pad(addressOf('1')),
    ],
    data: encodeAbiParameters([{ type: 'uint256' }], [1n]),
  }
  const read = reader({ holdings })
  const run = (shares: bigint, logs: readonly object[] = []) =>
    read(
      simulated([
        fine,
        pairs(7n),
        pairs(100n, 5n),
        { ...swapped, logs },
        pairs(25n),
        pairs(shares),
      ]),
    )
  const { kind, result } = ok(20n)
  const told = (sideEffect: string) => ({ kind, result: { ...result, sideEffect } })
  assert.equal(run(7n), ok(20n))
  assert.equal(run(6n), told('takes shares'))
  const taken = told(`takes ${addressOf('4')} of the taker beside the trade`)
  assert.equal([run(6n, [stolen]), run(7n, [stolen])], [taken, taken])
  const unwatched = [fine, pairs(100n, 5n), { ...swapped, logs: [stolen] }, pairs(25n)]
  assert.equal(reader()(simulated(unwatched)), taken)
})
s.run()
