import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  pad,
  parseAbi,
} from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import { createFindSettlers } from './findSettlers.ts'

const s = suite('meta/findSettlers')
const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])
const registryAbi = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function prev(uint128) view returns (address)',
])
const [current, before, next] = ['0xa1', '0xb2', '0xc3'].map((end) =>
  pad(end as Hex, { size: 20 }),
) as [Address, Address, Address]
type Said = { readonly success: boolean; readonly returnData: Hex }
const names = (address: Address): Said => ({ success: true, returnData: pad(address) })
const reverts: Said = { success: false, returnData: '0x' }
const nothing: Said = { success: true, returnData: '0x' }

/** A registry that says what it is told to, and a clock that is set here. */
function open() {
  const registry = {
    ms: 0,
    asked: 0,
    isAway: false,
    ownerOf: names(current),
    prev: names(before),
    hanging: undefined as PromiseWithResolvers<void> | undefined,
  }
  const request = async ({ params }: { params: readonly [{ data: Hex }] }) => {
    registry.asked += 1
    await registry.hanging?.promise
    if (registry.isAway) throw new Error('the node is away')
    const { args } = decodeFunctionData({ abi: multicall, data: params[0].data })
    const result = args[0].map(({ target, callData }) => {
      assert.is(target, '0x00000000000004533Fe15556B1E086BB1A72cEae')
      const { functionName, args } = decodeFunctionData({ abi: registryAbi, data: callData })
      assert.equal(args, [2n])
      return registry[functionName]
    })
    return encodeFunctionResult({ abi: multicall, functionName: 'aggregate3', result })
  }
  const chain = getChain(8453)
  const find = createFindSettlers({
    clientOf: (chainId) =>
      chainId === 8453 ? ({ client: { request }, chain } as unknown as ChainClient) : undefined,
    now: () => registry.ms,
  })
  const ask = (...called: readonly Address[]) => find({ chainId: 8453, called })
  return { registry, find, ask }
}

s(
  'are the one that takers call now, and the one before, asked for once a minute [17/settlers-found]',
  async () => {
    const { registry, find, ask } = open()
    registry.isAway = true
    assert.is(await ask(), undefined)
    assert.is(await find({ chainId: 1, called: [] }), undefined)
    registry.isAway = false
    assert.equal(await ask(), [current, before])
    registry.ms = 59_999
    registry.ownerOf = reverts
    assert.equal([await ask(), registry.asked], [[current, before], 2])
    registry.ms = 60_000
    registry.isAway = true
    assert.equal([await ask(), registry.asked], [[current, before], 3])
    registry.isAway = false
    assert.equal([await ask(), registry.asked], [[before], 4])
    // A node that hangs has nobody wait for it, and is asked once.
    registry.ms = 120_000
    registry.ownerOf = names(current)
    registry.hanging = Promise.withResolvers()
    assert.equal(await Promise.all([ask(), ask()]), [[before], [before]])
    assert.is(registry.asked, 5)
    registry.hanging.resolve()
    assert.equal([await ask(), registry.asked], [[current, before], 5])
  },
)
s(
  'are read anew for a name that is not among them, once in five seconds whoever names whom [17/settlers-rotated]',
  async () => {
    const { registry, ask } = open()
    await ask(current)
    Object.assign(registry, { ownerOf: names(next), prev: names(current) })
    registry.ms = 4_999
    assert.equal([await ask(next), registry.asked], [[current, before], 1])
    registry.ms = 5_000
    // Whom it knows it need not ask about.
    assert.equal([await ask(current), registry.asked], [[current, before], 1])
    registry.hanging = Promise.withResolvers()
    const together = [ask(next), ask(next, current)]
    registry.hanging.resolve()
    assert.equal(await Promise.all(together), [
      [next, current],
      [next, current],
    ])
    assert.is(registry.asked, 2)
    for (const ms of [5_001, 9_999]) {
      registry.ms = ms
      await ask(pad('0xd4', { size: 20 }))
    }
    assert.is(registry.asked, 2)
    // One that fails counts as well.
    registry.isAway = true
    for (const ms of [10_000, 10_001, 14_999]) {
      registry.ms = ms
      assert.equal(await ask(before), [next, current])
    }
    assert.is(registry.asked, 3)
  },
)
s('are unknown where the registry answers with nothing [17/settlers-empty]', async () => {
  const { registry, ask } = open()
  for (const [ownerOf, prev] of [
    [nothing, nothing],
    [nothing, reverts],
    [names(current), nothing],
  ] as const) {
    Object.assign(registry, { ownerOf, prev })
    assert.is(await ask(), undefined)
  }
  Object.assign(registry, { ownerOf: names(current), prev: names(before) })
  assert.equal(await ask(), [current, before])
  registry.ms = 60_000
  Object.assign(registry, { ownerOf: nothing, prev: nothing })
  assert.equal(await ask(), [current, before])
})

s.run()
