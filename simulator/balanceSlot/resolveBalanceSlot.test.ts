import { mock } from 'node:test'
import { concat, getAddress, type Hex, keccak256, pad } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { addressOf, refused, simulated, told, word } from '../testing/answers.ts'
import { type BalanceSlot, slotKey } from './balanceSlot.ts'
import { createSlotResolver, type SlotCache, type SlotCacheKey } from './resolveBalanceSlot.ts'

/** Beside a token whose balances lie in a mapping, or in slots of no formula. */
const s = suite('simulator/resolveBalanceSlot')
s.after.each(() => {
  mock.restoreAll()
  mock.timers.reset()
})
const chainId = 8453
const token = getAddress(addressOf('b'))
const holder = getAddress(addressOf('d'))
const other = getAddress(addressOf('e'))
const slot: BalanceSlot = {
  formula: 'solidity',
  contract: token,
  base: word(9n),
  shiftBits: 0,
  widthBits: 256,
  wordUnit: 1n,
  balanceUnit: 1n,
}
const code = '0x6001'
const implementation = word(7n)
const codeHash = keccak256(concat([code, implementation, pad('0x')]))
const key = { chainId, token, codeHash }

type Kind = 'mapping' | 'direct' | 'none' | 'away'
function open({
  cache,
  kind: first = 'mapping',
}: {
  readonly cache?: SlotCache | undefined
  readonly kind?: Kind
} = {}) {
  let kind = first
  let searches = 0
  let gate: Promise<void> | undefined
  const failures: unknown[] = []
  const keyOf = (of: Hex) => (kind === 'direct' ? word(77n) : slotKey(slot, of))
  function answer(call: RpcCall): RpcOutcome {
    const [asked, place] = call.params as [{ readonly data: Hex }, string]
    switch (call.method) {
      case 'eth_getCode':
        return told(code)
      case 'eth_getStorageAt':
        return told(place.startsWith('0x3608') ? implementation : pad('0x'))
      case 'eth_createAccessList': {
        searches += 1
        if (kind === 'away') return refused('failed to get storage')
        const storageKeys = kind === 'none' ? [] : [keyOf(`0x${asked.data.slice(-40)}`)]
        return told({ accessList: [{ address: token, storageKeys }] })
      }
      case 'eth_simulateV1': {
        const shown = word(sentinelOf(call))
        return simulated([{ returnData: shown }, {}, { returnData: word(1n) }])
      }
      default:
        return told(word(0n))
    }
  }
  const resolver = createSlotResolver(
    { cache, failed: (cause) => void failures.push(cause) },
    { chainId },
  )
  const rpc = {
    async batch(calls: readonly RpcCall[]) {
      await gate
      return calls.map(answer)
    },
    close: async () => undefined,
  }
  return {
    resolver,
    failures,
    searches: () => searches,
    become(next: Kind) {
      kind = next
    },
    hold(until: Promise<void>) {
      gate = until
    },
    resolve: (of = holder, asked = token) =>
      resolver.resolve({ rpc, timeoutMs: 1, token: asked, holder: of, timeSecs: 1n }),
  }
}
/** The word that stands in the slot. */
const sentinelOf = ({ params }: RpcCall) => {
  const [{ blockStateCalls }] = params as [
    {
      readonly blockStateCalls: readonly [
        { readonly stateOverrides: Record<Hex, { readonly stateDiff: Record<Hex, Hex> }> },
      ]
    },
  ]
  const [place] = Object.values(blockStateCalls[0].stateOverrides)
  return BigInt(Object.values(place?.stateDiff ?? {})[0] ?? 0)
}
function keep(stored?: BalanceSlot) {
  const asked: (readonly ['get' | 'put', object])[] = []
  const cache: SlotCache = {
    async get(p: SlotCacheKey) {
      asked.push(['get', p])
      return stored
    },
    async put(p) {
      asked.push(['put', p])
    },
  }
  return { cache, asked }
}
const found = { status: 'found', slot }

s('looks once for all holders of a mapping, in whatever letters [teeth/slots-known]', async () => {
  const { resolve, searches } = open()
  assert.equal(await resolve(), found)
  assert.equal(await resolve(other, addressOf('b')), found)
  assert.is(searches(), 1)
})
s('looks for each holder where no formula tells of others [teeth/slots-known]', async () => {
  const { resolve, searches } = open({ kind: 'direct' })
  const direct = { status: 'found', slot: { ...slot, formula: 'direct', base: word(77n) } }
  for (const each of [holder, holder, other, other]) assert.equal(await resolve(each), direct)
  assert.is(searches(), 2)
})
s('looks once for all who ask meanwhile [teeth/slots-shared]', async () => {
  const { resolve, searches, hold } = open()
  const gate = Promise.withResolvers<void>()
  hold(gate.promise)
  const asked = [resolve(), resolve(getAddress(addressOf('d')))]
  gate.resolve()
  assert.equal(await Promise.all(asked), [found, found])
  assert.is(searches(), 1)
})
s(
  'forgets for half a minute what was not found, and at once what was not read [teeth/slots-none]',
  async () => {
    let nowMs = 10_000
    mock.method(performance, 'now', () => nowMs)
    // A cache looks at the clock anew with each timer of its own.
    mock.timers.enable({ apis: ['setTimeout'] })
    const passTo = (ms: number) => {
      nowMs = ms
      mock.timers.tick(1)
    }
    const { resolve, searches, become } = open({ kind: 'none' })
    assert.equal(await resolve(), { status: 'not_found' })
    assert.equal(await resolve(), { status: 'not_found' })
    assert.is(searches(), 1)
    // It says nothing of other holders.
    await resolve(other)
    assert.is(searches(), 2)
    become('mapping')
    passTo(40_000)
    assert.equal(await resolve(), { status: 'not_found' })
    passTo(40_001)
    assert.equal(await resolve(), found)
    const away = open({ kind: 'away' })
    for (let n = 1; n < 3; n += 1) {
      assert.equal(await away.resolve(), { status: 'rpc_error' })
      assert.is(away.searches(), n)
    }
  },
)
s(
  'looks again where it was told that it was wrong, and trusts no book [teeth/slots-wrong]',
  async () => {
    const { cache, asked } = keep(slot)
    const { resolve, resolver, searches, become } = open({ cache })
    assert.equal(await resolve(), found)
    assert.equal([searches(), asked], [0, [['get', key]]])
    resolver.invalidate({ token: addressOf('b'), holder: addressOf('d') })
    become('none')
    assert.equal(await resolve(), { status: 'not_found' })
    assert.equal([searches(), asked.length], [1, 1])
    // It has looked for itself since: then the book counts as before.
    assert.equal(await resolve(other), found)
    const direct = open({ kind: 'direct' })
    await direct.resolve()
    direct.resolver.invalidate({ token, holder })
    await direct.resolve()
    assert.is(direct.searches(), 2)
  },
)
s('asks the book again after it has looked for itself [teeth/slots-wrong]', async () => {
  const { cache, asked } = keep(slot)
  const { resolve, resolver, become, searches } = open({ cache, kind: 'away' })
  resolver.invalidate({ token, holder })
  assert.equal(await resolve(), { status: 'rpc_error' })
  become('none')
  assert.equal(await resolve(), found)
  assert.equal([searches(), asked], [1, [['get', key]]])
})
s(
  'keeps what is good for all holders, with the code that it is good for [teeth/slots-book]',
  async () => {
    const { cache, asked } = keep()
    assert.equal(await open({ cache }).resolve(), found)
    assert.equal(asked, [
      ['get', key],
      ['put', { ...key, slot }],
    ])
    for (const kind of ['direct', 'none', 'away'] as const) {
      const book = keep()
      await open({ cache: book.cache, kind }).resolve()
      assert.equal(book.asked, [['get', key]], kind)
    }
  },
)
s('goes on without its book, and tells what went wrong with it [teeth/slots-book]', async () => {
  const [read, written] = [new Error('a full disk'), new Error('a lost database')]
  const cache: SlotCache = {
    get: () => Promise.reject(read),
    put: () => Promise.reject(written),
  }
  const { resolve, failures } = open({ cache })
  assert.equal(await resolve(), found)
  assert.equal(failures, [read, written])
})
s.run()
