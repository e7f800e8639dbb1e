import { type Hex, numberToHex, pad } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { RelayTransaction } from '../store/relayTransaction.ts'
import { type ReconcileDeps, reconcile } from './reconcile.ts'

/** Each branch of a pass, beside a chain and a book that are lists; `lifecycle.fork.test.ts` has real ones. */
const s = suite('reconcile')
const [signer, former] = [pad('0x1', { size: 20 }), pad('0x2', { size: 20 })]
const proxy = pad('0x3', { size: 20 })
const hashOf = (id: number) => pad(numberToHex(id))
const [blockHash, otherHash] = [hashOf(1_000), hashOf(2_000)]

type Mined = {
  readonly blockNumber: bigint
  readonly blockHash?: Hex
  readonly status?: Hex
  readonly l1Fee?: Hex
}

function row(id: number, given: Partial<RelayTransaction> = {}): RelayTransaction {
  const attempt = { hash: hashOf(id), raw: numberToHex(id) } as RelayTransaction['attempts'][0]
  const own = {
    id,
    chainId: 1,
    signer,
    nonce: id,
    proxy,
    status: 'pending',
    markedAtMs: 0,
  } as const
  return { ...own, attempts: [attempt], ...given } as RelayTransaction
}

const toReceipt = (found: Mined | undefined) =>
  found
    ? {
        gasUsed: '0x5',
        effectiveGasPrice: '0x7',
        status: '0x1',
        blockHash,
        ...found,
        blockNumber: numberToHex(found.blockNumber),
      }
    : null

function open({
  head = 100n,
  nonce = 5,
  open: rows = [],
  forgotten = [],
  mined = {},
  witnessed,
  witnessedNonce,
  code = {},
  finalDepth = 10,
}: {
  readonly head?: bigint
  readonly nonce?: number
  readonly open?: readonly RelayTransaction[]
  readonly forgotten?: readonly RelayTransaction[]
  readonly mined?: Readonly<Record<Hex, Mined>>
  /** What another node of the chain has seen mined; without it, there is no other. */
  readonly witnessed?: Readonly<Record<Hex, Mined>>
  /** What the other node counts; the same as the first where nothing is said. */
  readonly witnessedNonce?: number
  readonly code?: Readonly<Record<Hex, Hex>>
  /** `usual`: nothing is said. */
  readonly finalDepth?: number | 'usual'
}) {
  const nonces = { [signer]: nonce, [former]: nonce }
  const world = { head, nowMs: 1_000_000, nonces, witnessCalls: 0, hasOvertaken: false }
  const settled: string[] = []
  const told: string[] = []
  const sent: Hex[] = []
  const sentAt = new Map<Hex, number>()
  const costs: bigint[] = []
  const request = async ({ method, params }: { method: string; params: readonly string[] }) => {
    const [asked = ''] = params ?? []
    if (method === 'eth_blockNumber') return numberToHex(world.head)
    if (method === 'eth_getTransactionCount') return numberToHex(world.nonces[asked as Hex] ?? 0)
    if (method === 'eth_getCode') return code[asked as Hex] ?? '0x'
    if (method === 'eth_getBlockByNumber') return { hash: blockHash }
    return toReceipt(mined[asked as Hex])
  }
  const witness = {
    async request({ method, params }: { method: string; params: readonly [Hex] }) {
      world.witnessCalls += 1
      return method === 'eth_getTransactionCount'
        ? numberToHex(witnessedNonce ?? world.nonces[params[0]] ?? 0)
        : toReceipt(witnessed?.[params[0]])
    },
  }
  const deps = {
    chain: {
      chainId: 1,
      signer: { address: signer },
      client: { client: { request }, ...(witnessed && { witnesses: [{ request }, witness] }) },
      limits: { pendingWindowMs: 120_000 },
      clock: { now: () => world.nowMs },
    },
    store: {
      listForgotten: async () => forgotten,
      listOpen: async () => rows,
      async settle({ id, from, outcome }: Parameters<ReconcileDeps['store']['settle']>[0]) {
        settled.push(`${id}: ${from} -> ${outcome.status}`)
        if ('actualWei' in outcome) costs.push(outcome.actualWei)
        return !world.hasOvertaken
      },
    },
    broadcaster: {
      sentAtMs: (hash: Hex) => sentAt.get(hash),
      forget: (hash: Hex) => sentAt.delete(hash),
      async send({ hash }: { readonly hash: Hex }) {
        sent.push(hash)
        sentAt.set(hash, world.nowMs)
      },
    },
    now: () => world.nowMs,
    observe: ({ kind }: { readonly kind: string }) => told.push(kind),
    finalDepth: finalDepth === 'usual' ? undefined : finalDepth,
    overtakenAt: new Map(),
    replacedAtMs: new Map(),
  }
  // Of the store, the chain and the signer only what a pass uses.
  const pass = () => reconcile(deps as unknown as ReconcileDeps)
  return { world, pass, settled, told, sent, sentAt, costs, deps }
}

/** Until what the first pass finds overtaken is final; a block before that nothing is said of it. */
async function becomeFinal({ world, pass, settled, told, sent }: ReturnType<typeof open>) {
  await pass()
  world.head += 9n
  await pass()
  assert.equal([settled, told, sent], [[], [], []])
  world.head += 1n
  await pass()
}

for (const [what, from, receipt, settled, told] of [
  ['near', 'pending', { blockNumber: 91n }, 'mined', ['mined']],
  ['at the final depth', 'pending', { blockNumber: 90n }, 'final', ['mined']],
  ['failed', 'pending', { blockNumber: 91n, status: '0x0' }, 'failed', ['reverted']],
  ['failed for good', 'failed', { blockNumber: 90n, status: '0x0' }, 'final_failed', []],
  ['final now', 'mined', { blockNumber: 90n }, 'final', []],
  ['in another block', 'mined', { blockNumber: 95n, blockHash: otherHash }, 'mined', []],
] as const)
  s(`settles what is mined: ${what} [teeth/settled]`, async () => {
    const one = row(7, { status: from, blockHash })
    const pass = open({ open: [one], mined: { [hashOf(7)]: receipt } })
    await pass.pass()
    assert.equal(pass.settled, [`7: ${from} -> ${settled}`])
    assert.equal(pass.told, told)
    assert.equal(pass.sent, [])
  })

s('leaves what is mined where it was [teeth/settled]', async () => {
  const one = row(7, { status: 'mined', blockHash })
  const pass = open({ open: [one], mined: { [hashOf(7)]: { blockNumber: 95n } } })
  await pass.pass()
  assert.equal([pass.settled, pass.told, pass.sent], [[], [], []])
})
s('books what a receipt says it cost, with the fee for data [teeth/cost]', async () => {
  const mined = {
    [hashOf(6)]: { blockNumber: 95n },
    [hashOf(7)]: { blockNumber: 95n, l1Fee: '0x3' },
  }
  const pass = open({ open: [row(6), row(7)], mined: mined as never })
  await pass.pass()
  assert.equal(pass.costs, [35n, 38n])
})
s('knows a row by the receipt of any of its attempts [teeth/settled]', async () => {
  const [first] = row(7).attempts
  const one = row(7, { attempts: [first, { ...first, hash: hashOf(70) }] })
  const pass = open({ open: [one], mined: { [hashOf(70)]: { blockNumber: 95n } } })
  await pass.pass()
  assert.equal(pass.settled, ['7: pending -> mined'])
})
s(
  'takes back what no block has any more, and sends its bytes again [teeth/taken-back]',
  async () => {
    const one = row(7, { status: 'mined', blockHash })
    const pass = open({ open: [one] })
    await pass.pass()
    assert.equal(pass.settled, ['7: mined -> pending'])
    assert.equal(pass.told, ['reorged'])
    assert.equal(pass.sent, [hashOf(7)])
  },
)
s('takes back what was let go where its nonce is free again [teeth/taken-back]', async () => {
  const pass = open({ forgotten: [row(7, { status: 'lost' })] })
  await pass.pass()
  assert.equal([pass.settled, pass.told], [['7: lost -> pending'], ['reorged']])
})
s('tells of no reorganisation while its owner has another [teeth/taken-back]', async () => {
  const { world, ...pass } = open({ forgotten: [row(7, { status: 'lost' })] })
  world.hasOvertaken = true
  await pass.pass()
  assert.equal([pass.settled, pass.told], [['7: lost -> pending'], []])
})
s('takes back nothing that one node alone counts as free again [18/forgotten-count]', async () => {
  const forgotten = [row(5, { status: 'final' }), row(6, { status: 'final' })]
  const at = (witnessedNonce: number) => {
    const pass = open({ forgotten, witnessed: {}, witnessedNonce })
    return pass.pass().then((free) => [free, pass.settled, pass.told])
  }
  assert.equal(await at(7), [7, [], []])
  assert.equal(await at(6), [6, ['6: final -> pending'], ['reorged']])
  const last = open({ forgotten: forgotten.slice(0, 1), witnessed: {}, witnessedNonce: 6 })
  assert.equal([await last.pass(), last.settled], [6, []])
})
s('asks no second node while nothing is forgotten [18/forgotten-count]', async () => {
  const pass = open({ open: [row(7)], witnessed: {} })
  assert.is(await pass.pass(), 5)
  assert.is(pass.world.witnessCalls, 0)
})
s('takes the word of a lone node for a few at a time [18/forgotten-part]', async () => {
  const forgotten = Array.from({ length: 40 }, (_, index) => row(index + 5, { status: 'final' }))
  const pass = open({ forgotten })
  await pass.pass()
  const lowest = forgotten.slice(0, 16).map(({ id }) => `${id}: final -> pending`)
  assert.equal(pass.settled, lowest)
})
s(
  'sends what is pending at once, and again after 15 s, not before [teeth/sent-again]',
  async () => {
    const one = row(7, { markedAtMs: 1_000_000 })
    const pass = open({ open: [one] })
    await pass.pass()
    pass.world.nowMs += 14_999
    await pass.pass()
    assert.equal(pass.sent, [hashOf(7)])
    pass.world.nowMs += 1
    await pass.pass()
    assert.equal(pass.sent, [hashOf(7), hashOf(7)])
    assert.equal([pass.settled, pass.told], [[], []])
  },
)
s('sends the latest of the attempts [teeth/sent-again]', async () => {
  const [first] = row(7).attempts
  const again = [hashOf(70), hashOf(71)].map((hash) => ({ ...first, hash }))
  const pass = open({ open: [row(7, { attempts: [first, ...again] })] })
  await pass.pass()
  assert.equal(pass.sent, [hashOf(71)])
})
s('looks first at what may hold up the rest [teeth/sent-again]', async () => {
  const pass = open({ open: [row(7, { status: 'mined', blockHash }), row(8), row(9)] })
  await pass.pass()
  assert.equal(pass.sent, [hashOf(8), hashOf(9), hashOf(7)])
})
s('gives up what was overtaken once that is final, and no block before [teeth/lost]', async () => {
  const pass = open({ open: [row(4)], nonce: 5 })
  await becomeFinal(pass)
  assert.equal([pass.settled, pass.told], [['4: pending -> lost'], ['lost']])
  assert.is(pass.deps.overtakenAt.size, 0)
})
s('takes 64 blocks for final where nothing else is said [teeth/lost]', async () => {
  const mined = { [hashOf(7)]: { blockNumber: 37n }, [hashOf(8)]: { blockNumber: 36n } }
  const pass = open({ open: [row(4), row(7), row(8)], mined, finalDepth: 'usual', witnessed: {} })
  await pass.pass()
  assert.equal(pass.settled, ['7: pending -> mined', '8: pending -> final'])
  pass.world.head += 63n
  await pass.pass()
  assert.not(pass.told.includes('lost'))
  pass.world.head += 1n
  await pass.pass()
  assert.is(pass.settled.at(-3), '4: pending -> lost')
})
s('counts the blocks anew where the nonce was free meanwhile [teeth/lost]', async () => {
  const pass = open({ open: [row(4)], nonce: 5 })
  await pass.pass()
  pass.world.nonces[signer] = 3
  await pass.pass()
  pass.world.nonces[signer] = 5
  pass.world.head += 10n
  await pass.pass()
  assert.equal(pass.settled, [])
})
s(
  'settles what another node has a receipt of, once that is final [18/archive-witness]',
  async () => {
    const witnessed = { [hashOf(4)]: { blockNumber: 95n, l1Fee: '0x3' as const } }
    const pass = open({ open: [row(4)], nonce: 5, witnessed })
    await becomeFinal(pass)
    assert.equal([pass.settled, pass.told], [['4: pending -> final'], ['mined']])
    assert.equal(pass.costs, [38n])
  },
)
s(
  'settles by the receipt that the chain bears out, whoever else has another [teeth/lost]',
  async () => {
    const [first] = row(4).attempts
    const one = row(4, { attempts: [first, { ...first, hash: hashOf(40) }] })
    const witnessed = {
      [hashOf(4)]: { blockNumber: 95n, blockHash: otherHash },
      [hashOf(40)]: { blockNumber: 95n },
    }
    const pass = open({ open: [one], nonce: 5, witnessed })
    await pass.pass()
    pass.world.head += 10n
    await pass.pass()
    assert.equal(pass.settled, ['4: pending -> final'])
  },
)
for (const [what, receipt] of [
  ['may be taken back', { blockNumber: 101n }],
  ['is on a branch of its own', { blockNumber: 95n, blockHash: otherHash }],
] as const)
  s(
    `gives up nothing that another node has seen mined, where that ${what} [teeth/lost]`,
    async () => {
      const pass = open({ open: [row(4)], nonce: 5, witnessed: { [hashOf(4)]: receipt } })
      await pass.pass()
      pass.world.head += 10n
      await pass.pass()
      assert.equal([pass.settled, pass.told], [[], []])
    },
  )
s('gives up nothing whose nonce one node alone takes for used [18/lost-count]', async () => {
  const pass = open({ open: [row(4)], nonce: 5, witnessed: {}, witnessedNonce: 4 })
  await pass.pass()
  pass.world.head += 100n
  await pass.pass()
  assert.equal([pass.settled, pass.told], [[], []])
})
s(
  'what no node has a receipt of any more is mined where its proxy stands [18/unseen]',
  async () => {
    const pass = open({ open: [row(4)], nonce: 5, code: { [proxy]: '0xfe' } })
    await becomeFinal(pass)
    assert.equal([pass.settled, pass.told], [['4: pending -> final'], ['mined_unseen']])
    // Booked as it was reserved: nobody can say less.
    assert.equal(pass.costs, [])
  },
)
s('a proxy that stands says nothing of a nonce that is free [18/unseen]', async () => {
  const pass = open({ open: [row(6)], nonce: 5, code: { [proxy]: '0xfe' } })
  await pass.pass()
  pass.world.head += 100n
  await pass.pass()
  assert.equal(pass.settled, [])
})
s('lets go what a former key signed, once its window is over [teeth/retired]', async () => {
  const one = row(7, { signer: former, markedAtMs: 1_000_000 })
  const pass = open({ open: [one] })
  pass.world.nowMs += 119_999
  await pass.pass()
  assert.equal([pass.settled, pass.told], [[], []])
  pass.world.nowMs += 1
  await pass.pass()
  assert.equal([pass.settled, pass.told], [['7: pending -> lost'], ['retired']])
})
s('goes by the former key’s own nonce, and tells that of its key [teeth/retired]', async () => {
  const pass = open({ open: [row(4, { signer: former })], nonce: 5 })
  pass.world.nonces[former] = 4
  assert.is(await pass.pass(), 5)
  assert.equal([pass.settled, pass.told], [['4: pending -> lost'], ['retired']])
})
s('forgets what it saw of a row that is settled [teeth/settled]', async () => {
  const pass = open({ open: [row(7)], mined: { [hashOf(7)]: { blockNumber: 95n } } })
  const { deps, sentAt } = pass
  deps.overtakenAt.set(7, 1n)
  deps.replacedAtMs.set(7, 1)
  sentAt.set(hashOf(7), 1)
  await pass.pass()
  assert.equal([deps.overtakenAt.size, deps.replacedAtMs.size, sentAt.size], [0, 0, 0])
})
s('settles more rows than fit into one part [teeth/settled]', async () => {
  const rows = Array.from({ length: 35 }, (_, index) => row(index + 100))
  const mined = Object.fromEntries(rows.map(({ id }) => [hashOf(id), { blockNumber: 95n }]))
  const pass = open({ open: rows, mined })
  await pass.pass()
  assert.equal(
    pass.settled,
    rows.map(({ id }) => `${id}: pending -> mined`),
  )
})
s.run()
