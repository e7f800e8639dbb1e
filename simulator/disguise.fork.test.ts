import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { compileSource } from '../fixtures/chains/compileSource.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { type Disguise, randomAddress } from './disguise.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'

/** Shows what a contract sees of the transaction it is part of, one word at a time, as an output. */
const { Mirror } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Mirror {
  mapping(address => uint256) public balanceOf;
  function see(uint256 what, address to) external payable {
    if (what == 0) balanceOf[to] += uint160(tx.origin);
    if (what == 1) balanceOf[to] += tx.gasprice;
    if (what == 2) balanceOf[to] += block.basefee;
    if (what == 3) balanceOf[to] += block.number;
    if (what == 4) balanceOf[to] += block.timestamp;
    if (what == 5) balanceOf[to] += uint160(address(block.coinbase)) + 1;
    if (what == 6) balanceOf[to] += block.prevrandao;
    if (what == 7) balanceOf[to] += gasleft();
    if (what == 8) balanceOf[to] += block.gaslimit;
    if (what == 9) balanceOf[to] += uint256(blockhash(block.number - 1)) >> 8;
    if (what == 10) balanceOf[to] += block.blobbasefee;
    if (what == 11) balanceOf[to] += tx.origin.balance;
    if (what == 12) balanceOf[to] += tx.origin.code.length + 1;
    if (what == 13) balanceOf[to] += 1 + 0x8d1f0a4E93C7B65A20f84B9d7E16C3a05f72e9b4.code.length;
  }
  function give(address payable to) external { to.transfer(1 ether); }
  receive() external payable {}
}
`)
if (!Mirror) throw new Error('the mirror compiles')
const names = ['origin', 'gasPrice', 'baseFee', 'number', 'timestamp', 'coinbase', 'prevrandao']
const more = [
  'gas',
  'gasLimit',
  'blockhash',
  'blobBaseFee',
  'originBalance',
  'originCode',
  'reader',
]
const seen = [...names, ...more]

const s = suite('disguised dry runs')
const world = await startSwapWorld()
const { abi } = Mirror
const mirror = await world.chain.deploy({ ...Mirror, args: [] })
const simulator = await createSimulator({
  forks: await startTestForks(),
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

const gwei = 10n ** 9n
const disguise: Disguise = {
  gas: 400_000n,
  gasPriceWei: 3n * gwei,
  blocksAhead: 0,
  blockTimeMs: 2_000,
}
const look = (what: number, taker: Address, worn: Disguise | undefined): Candidate => ({
  target: mirror,
  data: encodeFunctionData({ abi, functionName: 'see', args: [BigInt(what), taker] }),
  value: 0n,
  tokenIn: zeroAddress,
  tokenOut: mirror,
  amountIn: 0n,
  spender: undefined,
  taker,
  recipient: taker,
  disguise: worn,
})

/** What a contract sees of a dry run, by name. */
async function mirrorOf(worn: Disguise | undefined, taker: Address = randomAddress()) {
  const candidates = seen.map((_, what) => look(what, taker, worn))
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  return Object.fromEntries(
    seen.map((name, what) => {
      const result = results[what]
      return [name, result?.status === 'ok' ? result.amountOut : 0n]
    }),
  )
}

type Block = {
  readonly [field in
    | 'number'
    | 'timestamp'
    | 'baseFeePerGas'
    | 'miner'
    | 'mixHash'
    | 'gasLimit'
    | 'parentHash'
    | 'hash']: Hex
}
const head = () => world.chain.request('eth_getBlockByNumber', ['latest', false]) as Promise<Block>

s('look like the last transaction of their block [trust/disguise]', async () => {
  const taker = randomAddress()
  const [block, image] = [await head(), await mirrorOf(disguise, taker)]
  assert.is(image['origin'], BigInt(taker))
  assert.is(image['gasPrice'], disguise.gasPriceWei)
  assert.is(image['baseFee'], BigInt(block.baseFeePerGas))
  assert.is(image['number'], BigInt(block.number))
  assert.is(image['coinbase'], BigInt(block.miner) + 1n)
  assert.is(image['prevrandao'], BigInt(block.mixHash))
  assert.is(image['gasLimit'], BigInt(block.gasLimit))
  assert.is(image['blockhash'], BigInt(block.parentHash) >> 8n)
  assert.is(image['blobBaseFee'], 1n)
  assert.ok((image['gas'] ?? 0n) < disguise.gas)
  assert.is(image['originCode'], 1n)
  assert.is(image['reader'], 1n)
})
s('look like a transaction of a block that follows, as well', async () => {
  const [block, image] = [await head(), await mirrorOf({ ...disguise, blocksAhead: 3 })]
  assert.is(image['number'], BigInt(block.number) + 3n)
  assert.ok((image['blockhash'] ?? 0n) > 0n)
  assert.ok((image['timestamp'] ?? 0n) >= BigInt(block.timestamp) + 6n)
})
s('never look the same twice in what the taker holds', async () => {
  const [one, other] = await Promise.all([mirrorOf(disguise), mirrorOf(disguise)])
  assert.is.not(one['originBalance'], other['originBalance'])
})
s('show an undisguised run for what it is', async () => {
  const image = await mirrorOf(undefined)
  assert.is(image['gasPrice'], 0n)
  assert.is(image['baseFee'], 0n)
})
s('count native currency to the wei, whoever pays for gas', async () => {
  await world.chain.request('anvil_setBalance', [mirror, '0x1bc16d674ec80000'])
  await world.chain.request('anvil_mine', ['0x1'])
  const taker = randomAddress()
  const data = encodeFunctionData({ abi, functionName: 'give', args: [taker] })
  const candidate = { ...look(0, taker, disguise), data, tokenOut: zeroAddress }
  const block = await head()
  const { results } = await simulator.simulateCandidates({
    chainId: 8453,
    candidates: [candidate],
    minBlock: BigInt(block.number),
  })
  assert.equal(results[0]?.status === 'ok' && results[0].amountOut, 10n ** 18n)
})
s('run for a taker that is a contract, and sell a token', async () => {
  const taker = world.weth
  const swap = world.swapAForB({ to: taker })
  const quoted = await world.quoteAForB(10n ** 18n)
  for (const worn of [disguise, { ...disguise, blocksAhead: 1 }]) {
    const { results } = await simulator.simulateCandidates({
      chainId: 8453,
      candidates: [
        { ...swap, disguise: worn },
        { ...swap, disguise: worn, taker, recipient: taker, heldAmount: 3n * 10n ** 18n },
      ],
    })
    assert.equal(
      results.map((result) => result.status === 'ok' && result.amountOut),
      [quoted, quoted],
    )
  }
})
s('fail at the gas that a wallet would give', async () => {
  const { results } = await simulator.simulateCandidates({
    chainId: 8453,
    candidates: [{ ...world.swapAForB(), disguise: { ...disguise, gas: 60_000n } }],
  })
  assert.is(results[0]?.status, 'simulation_failed')
})
s.run()
