import { type Address, getAddress, type Hex } from 'viem'
import { compileImpostor } from '../../fixtures/chains/compileImpostor.ts'
import { compileSource } from '../../fixtures/chains/compileSource.ts'
import { revertChain } from '../../fixtures/relay/revertChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { worldAddress } from '../../fixtures/world/parts/builder.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import type { Quote } from './finishQuote.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { createRouting, type Routing } from './service/routing.ts'
import { loadFamily } from './testing/proveFamily.ts'
import { startSwapStand } from './testing/swapStand.ts'

const protocols = ['uniswap_v3', 'camelot_v3', 'algebra_integral', 'liquidity_book'] as const

/** Views tell the truth; a swap (of Uniswap v3 and Algebra, of Liquidity Book) is refused. */
const reverting = compileImpostor(
  'if (msg.sig == 0x128acb08 || msg.sig == 0x53c059a0) revert("paused");',
)

/** As the true one, but for a two hundredth of what a transaction of anybody swaps. */
const skimmer = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Skimmer {
  address private immutable TRUTH;
  constructor(address truth) { TRUTH = truth; }
  fallback() external payable {
    address truth = TRUTH;
    bool skims = msg.sig == 0x128acb08 && tx.origin != address(0) && tx.gasprice > 0;
    assembly {
      calldatacopy(0, 0, calldatasize())
      if skims { mstore(68, sub(mload(68), sdiv(mload(68), 200))) }
      let ok := delegatecall(gas(), truth, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}
`)

const skimmerArtifact = skimmer['Skimmer']
if (!skimmerArtifact) throw new Error('it compiles')

/** Whole contracts, as runtime code. */
const broken: Readonly<Record<string, Hex>> = {
  'reverts at every call': '0x60006000fd',
  'burns all gas it gets': '0xfe',
  'has no code': '0x',
  'answers each call with ones': '0x600019600052600019602052600019604052600019606052610200610000f3',
  'answers with a megabyte of nothing': '0x621000006000f3',
}

const s = suite('pools that revert')
const stand = await startSwapStand(42161)
const { rpc, chainId, rpcUrl, chainClient, manifest, probe } = stand
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
s.after(async () => {
  await simulator.close()
  await stand.close()
})

const dexes = stand.dexes.filter(({ protocol }) => protocols.some((each) => each === protocol))
const families = await Promise.all(protocols.map((protocol) => loadFamily(stand, protocol)))
const all = families.flat()
/** One of each family. */
const victims = families.flatMap(([first]) => first ?? [])

/** Routing that knows the pools of these families only. */
async function startRouting(): Promise<Routing> {
  const routing = await createRouting({
    chains: [{ chainClient, executor: manifest.executor, dexes, maxAgeMs: 0, pollMs: 3_600_000 }],
    simulator,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
  await routing.warmed
  return routing
}

async function quoteBetween(
  routing: Routing,
  { tokens, verify }: { readonly tokens: readonly string[]; readonly verify: boolean },
) {
  const [tokenIn, tokenOut] = tokens.map((token) => getAddress(token as Address))
  if (!tokenIn || !tokenOut) throw new Error('a pool has two tokens')
  const amountIn = (await stand.balanceOf(tokenIn, probe)) / 1_000_000n
  const asked = { chainId, tokenIn, tokenOut, amountIn, slippageBps: 50, taker: probe, verify }
  return routing.quote(asked)
}

/** What is quoted as executable between two tokens delivers its output to the wei; how many were. */
async function executeBothWays(routing: Routing, { tokens }: PoolRecord): Promise<number> {
  let executed = 0
  for (const way of [tokens, [...tokens].reverse()]) {
    const outcome = await quoteBetween(routing, { tokens: way, verify: false })
    assert.is.not(outcome.status, 'unavailable')
    const quote = outcome.status === 'ok' ? outcome.quote : undefined
    if (!quote?.execution) continue
    const { data, value } = quote.execution
    const result = await stand.execute({ tokenIn: quote.tokenIn, value, data })
    assert.equal([result.ok, result.amountOut], [true, quote.amountOut], quote.routePath)
    executed += 1
  }
  return executed
}

/** Runs on a chain whose changes are undone afterwards. */
async function undone(run: () => Promise<void>): Promise<void> {
  const snapshot = await rpc('evm_snapshot')
  try {
    await run()
  } finally {
    await revertChain(rpc, snapshot)
    await rpc('evm_mine')
  }
}

function sharePool(one: Quote, other: Quote): boolean {
  const used = other.steps.map(({ pool }) => pool)
  return one.steps.some(({ pool }) => used.includes(pool))
}

async function makeSwapsRevert({ address }: PoolRecord): Promise<void> {
  const truth = worldAddress(`what ${address} does`)
  await rpc('anvil_setCode', truth, await rpc('eth_getCode', address, 'latest'))
  await stand.builder.deployAt({ address, artifact: reverting, args: [truth] })
}

s('there is one of each family', () => {
  assert.equal(
    victims.map(({ protocol }) => protocol),
    [...protocols],
  )
})

for (const [name, code] of Object.entries(broken))
  s(`one that ${name} is left out, the others stay`, () =>
    undone(async () => {
      for (const { address } of victims) await rpc('anvil_setCode', address, code)
      await rpc('evm_mine')
      const routing = await startRouting()
      const known = new Set(routing.status()[0]?.state?.pools.keys())
      for (const record of all)
        assert.is(known.has(record.id), !victims.includes(record), `${record.dex} ${record.id}`)
      let executed = 0
      for (const victim of victims) executed += await executeBothWays(routing, victim)
      await routing.close()
      assert.ok(executed > 0)
    }),
  )

s('one that pays whoever is somebody half a percent less than it says is not quoted', () =>
  undone(async () => {
    const skimmed = all.filter(({ protocol }) => protocol === 'uniswap_v3')
    for (const { address } of skimmed) {
      const truth = worldAddress(`what ${address} does`)
      await rpc('anvil_setCode', truth, await rpc('eth_getCode', address, 'latest'))
      await stand.builder.deployAt({ address, artifact: skimmerArtifact, args: [truth] })
    }
    await rpc('evm_mine')
    const routing = await startRouting()
    try {
      let quoted = 0
      for (const { tokens } of victims)
        for (const way of [tokens, [...tokens].reverse()]) {
          const outcome = await quoteBetween(routing, { tokens: way, verify: false })
          if (outcome.status !== 'ok') continue
          quoted += 1
          for (const { protocol } of outcome.quote.steps) assert.is.not(protocol, 'uniswap_v3')
        }
      assert.ok(quoted > 0)
    } finally {
      await routing.close()
    }
  }),
)

s('where all swaps revert and views do not, nothing is quoted', () =>
  undone(async () => {
    for (const record of all) await makeSwapsRevert(record)
    const routing = await startRouting()
    for (const { protocol, tokens } of victims)
      assert.is(
        (await quoteBetween(routing, { tokens, verify: false })).status,
        'no_route',
        protocol,
      )
    await routing.close()
  }),
)

s('where the swaps of some revert, routes go through the others', () =>
  undone(async () => {
    for (const record of victims) await makeSwapsRevert(record)
    const routing = await startRouting()
    let executed = 0
    for (const victim of victims) executed += await executeBothWays(routing, victim)
    await routing.close()
    assert.ok(executed > 0)
  }),
)

s('a dry run that fails has pools tried again that once worked', () =>
  undone(async () => {
    const routing = await startRouting()
    const [victim] = victims
    if (!victim) throw new Error('there is a victim')
    const { tokens } = victim
    const before = await quoteBetween(routing, { tokens, verify: false })
    assert.ok(before.status === 'ok' && before.quote.execution)
    for (const record of all) await makeSwapsRevert(record)
    await rpc('evm_mine')
    const doubted = await quoteBetween(routing, { tokens, verify: true })
    if (doubted.status !== 'ok') throw new Error(doubted.status)
    assert.is(doubted.quote.unexecutableReason, 'dry_run_failed')
    await rpc('evm_mine')
    const after = await quoteBetween(routing, { tokens: [...tokens].reverse(), verify: false })
    if (after.status === 'ok') assert.not.ok(sharePool(after.quote, doubted.quote))
    await routing.close()
  }),
)

s('where followed pools break without a word, a dry run keeps the payload back', () =>
  undone(async () => {
    const routing = await startRouting()
    for (const { address } of all) await rpc('anvil_setCode', address, '0xfe')
    await rpc('evm_mine')
    for (const { protocol, tokens } of victims) {
      const outcome = await quoteBetween(routing, { tokens, verify: true })
      assert.is.not(outcome.status, 'unavailable', protocol)
      if (outcome.status === 'ok')
        assert.equal(
          [outcome.quote.executable, outcome.quote.execution],
          [false, undefined],
          protocol,
        )
    }
    await routing.close()
  }),
)
s.run()
