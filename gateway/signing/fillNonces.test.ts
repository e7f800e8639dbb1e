import { createClient, custom, type Hex, numberToHex, pad, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { arbitrum } from '../chain/arbitrum.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import type { FillBook, Nonces } from '../store/nonces.ts'
import { type FillDeps, type FillEvent, type FillLimits, fillNonces } from './fillNonces.ts'
import { createTurns } from './turns.ts'

/** Beside nodes and a book that are lists; `nonceGap.fork.test.ts` fills real ones. */
const s = suite('fillNonces')
const chain = toViemChain(base)

/** One pass over nodes that count so many each, of which the first is asked; what it tells and sends. */
async function look(counts: readonly number[]) {
  const told: string[] = []
  const sent: number[] = []
  const [client, ...others] = counts.map((count) =>
    createClient({ chain, transport: custom({ request: async () => numberToHex(count) }) }),
  )
  const nonces = {
    listFills: async ({ from }: { from: number }) =>
      [4, 9].filter((nonce) => nonce >= from).map((nonce) => ({ nonce, signedAtMs: 0 })),
    missingNonces: async ({ from }: { from: number }) => [3, 8].filter((nonce) => nonce >= from),
  }
  const deps = {
    nonces,
    chain: {
      chainId: chain.id,
      client,
      ...(others.length > 0 && { witnesses: [client, ...others] }),
    },
    signer: { address: zeroAddress },
    clock: { now: () => 0 },
    observe: ({ kind, nonce }: { kind: string; nonce: number }) =>
      void told.push(`${kind} ${nonce}`),
    send: async ({ nonce }: { nonce: number }) => void sent.push(nonce),
    memory: { missing: [] },
  }
  // What one pass missed is filled in the next: of the rest of it nothing is asked yet.
  await fillNonces(deps as unknown as FillDeps, counts[0] ?? 0)
  return { told, sent, missed: deps.memory.missing }
}

s(
  'sends and fills nothing that two nodes take for used, whatever a third counts [18/used-by-two]',
  async () => {
    const looked = { told: ['nonce_gap 8'], sent: [9], missed: [8] }
    assert.equal(await look([2, 7, 7]), looked)
    // The next that is wanted is not used yet.
    assert.equal(await look([2, 8, 8]), looked)
    assert.equal(await look([2, 4, 4]), { ...looked, sent: [4, 9] })
  },
)
s('is held up by no node that counts too high [18/used-by-two]', async () => {
  for (const counts of [[2], [2, 99], [2, 2, 99]])
    assert.equal(await look(counts), { told: ['nonce_gap 3'], sent: [4, 9], missed: [3, 8] })
})
s('asks no other node while nothing is open [teeth/fills]', async () => {
  for (const [fills, missing, asks] of [
    [[], [], false],
    [[{ nonce: 9, signedAtMs: 0 }], [], true],
    [[], [8], true],
  ] as const) {
    let asked = false
    const request = async () => {
      asked = true
      return '0x2'
    }
    const client = createClient({ chain, transport: custom({ request }) })
    const deps = {
      nonces: { listFills: async () => fills, missingNonces: async () => missing },
      chain: { chainId: chain.id, client, witnesses: [client] },
      signer: { address: zeroAddress },
      clock: { now: () => 0 },
      observe: () => undefined,
      send: async () => undefined,
      memory: { missing: [] },
    }
    await fillNonces(deps as unknown as FillDeps, 2)
    assert.is(asked, asks)
  }
})

const [gasLimit, fee, l1FeeWei] = [25_200n, 1_002_000n, 77n]
const reserved = gasLimit * fee + l1FeeWei
const nowMs = 10_000_000

/** One pass over a book in which 3 and 5 were missing before, and what it signs, reserves, tells and sends. */
async function fill({
  book = {},
  limits = {},
  on = chain,
  signedAgoMs,
  isForeign = false,
  baseFeeWei = 1_000,
}: {
  readonly book?: Partial<FillBook>
  readonly limits?: Partial<FillLimits>
  readonly on?: typeof chain
  /** A fill of 3 that is unmined since then, and nothing is missing. */
  readonly signedAgoMs?: number
  /** Another process fills it meanwhile. */
  readonly isForeign?: boolean
  /** `null` where the chain's blocks name none. */
  readonly baseFeeWei?: number | null
} = {}) {
  const seen = new Set<number>()
  const [told, sent]: [string[], Hex[]] = [[], []]
  const signed: (readonly bigint[])[] = []
  const asked: Parameters<Nonces['fill']>[0][] = []
  const reservedWei: bigint[] = []
  const answers: Readonly<Record<string, unknown>> = {
    eth_getBlockByNumber: {
      timestamp: '0x7',
      ...(baseFeeWei !== null && { baseFeePerGas: numberToHex(baseFeeWei) }),
    },
    eth_estimateGas: numberToHex(21_000),
    eth_call: pad(numberToHex(l1FeeWei)),
  }
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    if (method === 'eth_estimateGas')
      assert.equal(params[0], { from: zeroAddress, to: zeroAddress, value: '0x0', data: '0x' })
    return answers[method]
  }
  const stored = { nonce: 3, hash: '0x01', raw: '0x02', signedAtMs: nowMs - (signedAgoMs ?? 0) }
  const deps = {
    nonces: {
      listFills: async () => (signedAgoMs === undefined ? [] : [stored]),
      missingNonces: async () => (signedAgoMs === undefined ? [3, 5] : []),
      async fill(given: Parameters<Nonces['fill']>[0], decide: Parameters<Nonces['fill']>[1]) {
        asked.push(given)
        if (isForeign) return { hash: '0x99' }
        const decided = decide({
          nowMs,
          spendWei: 0n,
          fillsInWindow: 0,
          previous: undefined,
          ...book,
        })
        if (decided) reservedWei.push(decided.reservedWei)
        return decided?.fill
      },
    },
    chain: { chainId: on.id, client: createClient({ chain: on, transport: custom({ request }) }) },
    signer: {
      address: zeroAddress,
      turns: createTurns(),
      async signFill({ nonce, ...prices }: Parameters<FillDeps['signer']['signFill']>[0]) {
        const { maxFeePerGasWei, maxPriorityFeePerGasWei } = prices
        signed.push([prices.gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei])
        return { hash: numberToHex(nonce), raw: '0x' }
      },
    },
    limits: { maxFeeWei: 10n ** 18n, maxSpendPerHourWei: 10n ** 18n, ...limits },
    clock: {
      now: () => nowMs,
      read: async (readHeadMs: () => Promise<number>) => ({ nowMs: await readHeadMs() }),
      saw: (bookMs: number) => void seen.add(bookMs),
    },
    observe: ({ kind, nonce }: FillEvent) => void told.push(`${kind} ${nonce}`),
    send: async ({ hash }: { hash: Hex }) => void sent.push(hash),
    memory: { missing: [3, 5] },
  }
  await fillNonces(deps as unknown as FillDeps, 0)
  return { told, sent, signed, asked, reservedWei, seen: [...seen] }
}
const blocked = ['nonce_gap 3', 'fill_blocked 3']

s('fills what two passes missed, for a fifth more gas and two blocks of base fee', async () => {
  const { told, sent, signed, asked, reservedWei, seen } = await fill()
  assert.equal(told, ['nonce_gap 3', 'nonce_filled 3', 'nonce_filled 5'])
  assert.equal(sent, ['0x3', '0x5'])
  assert.equal(signed, [
    [gasLimit, fee, 1_000_000n],
    [gasLimit, fee, 1_000_000n],
  ])
  assert.equal(reservedWei, [reserved, reserved])
  // The clock goes by the book from then on.
  assert.equal(seen, [nowMs])
  const [first] = asked
  assert.equal([first?.nonce, first?.nowMs, first?.windowMs], [3, 7_000, 3_600_000])
})
s('pays the tip alone where blocks name no base fee [teeth/fills]', async () => {
  const { signed } = await fill({ baseFeeWei: null })
  assert.equal(signed[0], [gasLimit, 1_000_000n, 1_000_000n])
})
s('pays no L1 fee where the chain has none [teeth/fills]', async () => {
  const { reservedWei } = await fill({ on: toViemChain(arbitrum) })
  assert.equal(reservedWei, [gasLimit * fee, gasLimit * fee])
})
s('fills at each cap, and not a wei or a fill above it [teeth/fills]', async () => {
  for (const [at, above] of [
    [{ limits: { maxFeeWei: reserved } }, { limits: { maxFeeWei: reserved - 1n } }],
    [
      { book: { spendWei: 5n }, limits: { maxSpendPerHourWei: reserved + 5n } },
      { book: { spendWei: 6n }, limits: { maxSpendPerHourWei: reserved + 5n } },
    ],
    [{ book: { fillsInWindow: 59 } }, { book: { fillsInWindow: 60 } }],
  ]) {
    assert.is((await fill(at)).sent.length, 2)
    // The next one would not be mined before it.
    const { told, sent, signed } = await fill(above)
    assert.equal([told, sent, signed], [blocked, [], []])
  }
})
s(
  'raises what was signed for a nonce before by an eighth, and never below the market',
  async () => {
    const previous = { maxFeePerGasWei: 2_000_000n, maxPriorityFeePerGasWei: 4_000_000n }
    const { signed } = await fill({ book: { previous } })
    assert.equal(signed[0], [gasLimit, 2_250_000n, 4_500_000n])
    const cheap = { maxFeePerGasWei: 8n, maxPriorityFeePerGasWei: 8n }
    assert.equal((await fill({ book: { previous: cheap } })).signed[0], [gasLimit, fee, 1_000_000n])
  },
)
s('sends a fill again for a minute, then signs another in its place [teeth/fills]', async () => {
  const young = await fill({ signedAgoMs: 59_999 })
  assert.equal([young.sent, young.signed], [['0x01'], []])
  const { sent, asked, told } = await fill({ signedAgoMs: 60_000 })
  assert.equal([sent, told], [['0x3'], ['nonce_filled 3']])
  assert.is(asked[0]?.replaces, nowMs - 60_000)
})
s('sends what another process filled meanwhile [teeth/fills]', async () => {
  const { sent, signed } = await fill({ isForeign: true })
  assert.equal([sent, signed], [['0x99', '0x99'], []])
})
s.run()
