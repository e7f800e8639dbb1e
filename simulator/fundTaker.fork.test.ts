import { type Address, encodeFunctionData, numberToHex, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import { assert, suite } from '../fixtures/test.ts'
import type { BalanceSlot } from './balanceSlot/balanceSlot.ts'
import type { SlotCacheKey } from './balanceSlot/resolveBalanceSlot.ts'
import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { compileSolidity } from './testing/compileSolidity.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { deployer } from './testing/testChain.ts'
import { startTestForks } from './testing/testForks.ts'

const s = suite('funding')
const world = await startSwapWorld()
const { chain, tokenA } = world

/** Balances are stored as a secret of their holder: no word of the storage shows as one. */
const hidden = compileSolidity(
  `contract Hidden {
    event Transfer(address indexed from, address indexed to, uint256 value);
    mapping(address => uint256) private hidden;
    mapping(address => mapping(address => uint256)) public allowance;
    constructor(uint256 supply) { write(msg.sender, supply); emit Transfer(address(0), msg.sender, supply); }
    function mask(address a) private pure returns (uint256) { return uint256(keccak256(abi.encode(a))) >> 16; }
    function write(address a, uint256 v) private { hidden[a] = v == 0 ? 0 : v ^ mask(a); }
    function balanceOf(address a) public view returns (uint256) { return hidden[a] == 0 ? 0 : hidden[a] ^ mask(a); }
    function approve(address a, uint256 v) external returns (bool) { allowance[msg.sender][a] = v; return true; }
    function transfer(address a, uint256 v) public returns (bool) { move(msg.sender, a, v); return true; }
    function transferFrom(address f, address a, uint256 v) external returns (bool) {
      allowance[f][msg.sender] -= v; move(f, a, v); return true; }
    function move(address f, address a, uint256 v) private {
      uint256 b = balanceOf(f); require(b < 2**128 && b >= v, "poor");
      write(f, b - v); write(a, balanceOf(a) + v); emit Transfer(f, a, v); }
  }`,
  'Hidden',
)
/** Balances stand where no usual formula puts them. */
const nestedSource = `contract Nested {
  mapping(address => mapping(address => uint256)) private nested;
  function balanceOf(address a) external view returns (uint256) { return nested[a][a]; }
  function approve(address, uint256) external pure returns (bool) { return true; }
  function transfer(address a, uint256 v) external returns (bool) {
    nested[msg.sender][msg.sender] -= v; nested[a][a] += v; return true; }
  function transferFrom(address f, address a, uint256 v) external returns (bool) {
    nested[f][f] -= v; nested[a][a] += v; return true; }
}`
/** Pays a fixed thousandth of tokenA for what it takes, and knows custom errors. */
const exchange = compileSolidity(
  `interface IERC20 { function transferFrom(address, address, uint256) external returns (bool); function transfer(address, uint256) external returns (bool); }
  contract Exchange {
    error Closed(uint256 code, string why);
    error Unlisted(address token);
    function swap(IERC20 from, IERC20 to, uint256 amount) external {
      from.transferFrom(msg.sender, address(this), amount); to.transfer(msg.sender, amount / 1000); }
    function closed() external pure { revert Closed(7, "for lunch"); }
    function unlisted() external view { revert Unlisted(msg.sender); }
    function panic(uint256 a) external pure returns (uint256) { return 1 / (a - a); }
  }`,
  'Exchange',
)
/** Takes what lies with it beyond what it knows of, as pairs do; a shop before it, which names it to nobody. */
const counting = compileSolidity(
  `interface IERC20 { function balanceOf(address) external view returns (uint256);
    function transferFrom(address, address, uint256) external returns (bool); function transfer(address, uint256) external returns (bool); }
  contract Pair {
    uint256 private known;
    function sync(IERC20 from) external { known = from.balanceOf(address(this)); }
    function sell(IERC20 from, IERC20 to, address seller) external {
      uint256 more = from.balanceOf(address(this)) - known; require(more > 0, "nothing came");
      to.transfer(seller, more / 1000); }
  }
  contract Front {
    Pair public pair = new Pair();
    function swap(IERC20 from, IERC20 to, uint256 amount) external {
      from.transferFrom(msg.sender, address(pair), amount); pair.sell(from, to, msg.sender); }
  }`,
  'Front',
)
const token = await chain.deploy({ ...hidden, args: [10n ** 24n] })
const nested = await chain.deploy(compileSolidity(nestedSource, 'Nested'))
const shop = await chain.deploy(exchange)
await chain.send({
  to: tokenA,
  abi: world.tokenAbi,
  functionName: 'transfer',
  args: [shop, 10n ** 24n],
})

const stored = new Map<string, BalanceSlot>()
let writes = 0
let fault: Error | undefined
const events: { readonly event: string; readonly reason?: string | undefined }[] = []
const keyOf = ({ token: of, codeHash }: SlotCacheKey) => `${of} ${codeHash}`.toLowerCase()
const slots = {
  async get(key: SlotCacheKey) {
    if (fault) throw fault
    return stored.get(keyOf(key))
  },
  async put({ slot, ...key }: SlotCacheKey & { slot: BalanceSlot }) {
    if (fault) throw fault
    writes += 1
    stored.set(keyOf(key), slot)
  },
}
const abis = [exchange.abi.filter((item) => item.type === 'error' && item.name === 'Closed')]
const start = async () =>
  createSimulator({
    chains: [{ chainId: 8453, upstreamUrl: chain.rpcUrl }],
    slots,
    abis,
    log: (event) => void events.push(event),
    forks: await startTestForks(),
  })
const simulator = await start()
s.after(async () => {
  await simulator.close()
  await chain.close()
})
const simulate = async (candidate: Candidate, by = simulator) =>
  (await by.simulateCandidates({ chainId: 8453, candidates: [candidate] })).results[0]
const sale = (tokenIn: Address, amountIn: bigint): Candidate => ({
  target: shop,
  data: encodeFunctionData({
    abi: exchange.abi,
    functionName: 'swap',
    args: [tokenIn, tokenA, amountIn],
  }),
  value: 0n,
  tokenIn,
  tokenOut: tokenA,
  amountIn,
  spender: shop,
})

s('lets a whale pay where no storage word shows as the balance [sim/whale]', async () => {
  const result = await simulate(sale(token, 5000n))
  assert.equal(result?.status === 'ok' && result.amountOut, 5n)
})
s('has no whale for more than anybody holds', async () => {
  assert.equal(await simulate(sale(token, 10n ** 25n)), {
    status: 'simulation_unavailable',
    reason: 'balance slot not found',
    cause: 'slot_not_found',
  })
})
s('never asks somebody to pay who has a part in the candidate', async () => {
  const candidate = sale(token, 5000n)
  const involved = `${candidate.data}${deployer.address.slice(2).padStart(64, '0')}` as const
  assert.is((await simulate({ ...candidate, data: involved }))?.status, 'simulation_unavailable')
})
s('lets another pay where the first may be the pool that buys [sim/another-whale]', async () => {
  const front = await chain.deploy(counting)
  const coin = await chain.deploy({ ...hidden, args: [10n ** 24n] })
  const pair = await readContract(chain.client, {
    abi: parseAbi(['function pair() view returns (address)']),
    address: front,
    functionName: 'pair',
  })
  const abi = parseAbi(['function transfer(address, uint256)', 'function sync(address)'])
  await chain.send({ to: tokenA, abi, functionName: 'transfer', args: [pair, 10n ** 24n] })
  // More than anybody else has.
  await chain.send({ to: coin, abi, functionName: 'transfer', args: [pair, 6n * 10n ** 23n] })
  const minBlock = await chain.send({ to: pair, abi, functionName: 'sync', args: [coin] })
  const candidates = [{ ...sale(coin, 5_000n), target: front, spender: front }]
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates, minBlock })
  const [result] = results
  assert.equal(result?.status === 'ok' ? result.amountOut : result, 5n)
})
s('stores what it finds and finds again what was stored wrongly', async () => {
  assert.is((await simulate(world.swapAForB()))?.status, 'ok')
  const [key, slot] = [...stored].find(([name]) => name.startsWith(tokenA.toLowerCase())) ?? []
  if (!key || !slot) throw new Error('nothing stored')
  stored.set(key, { ...slot, base: numberToHex(77n, { size: 32 }) })
  const before = writes
  const restarted = await start()
  assert.is((await simulate(world.swapAForB(), restarted))?.status, 'ok')
  assert.is(writes, before + 1)
  assert.equal(stored.get(key), slot)
  await restarted.close()
})
s('keeps no slot that is good for one holder only: anybody may name holders', async () => {
  const before = writes
  const result = await simulate(sale(nested, 5_000n))
  assert.equal(result?.status === 'ok' && result.amountOut, 5n)
  assert.is(writes, before)
})
s('simulates on beside a cache that fails, and says so', async () => {
  fault = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  const result = await simulate(sale(world.tokenB, 5_000n))
  fault = undefined
  assert.equal(result?.status === 'ok' && result.amountOut, 5n)
  const reasons = events.flatMap(({ event, reason }) =>
    event === 'slot_cache_failed' ? reason : [],
  )
  assert.equal(reasons, ['SQLITE_FULL', 'SQLITE_FULL'])
})
s('shows known errors by name, panics by meaning and the rest as it is', async () => {
  const reasonOf = async (functionName: string, args: readonly unknown[] = []) => {
    const data = encodeFunctionData({ abi: exchange.abi, functionName, args })
    const result = await simulate({ ...sale(tokenA, 1n), data })
    return result?.status === 'simulation_failed' ? result.reason : result?.status
  }
  assert.is(await reasonOf('closed'), 'Closed(7, for lunch)')
  assert.is(await reasonOf('panic', [3n]), 'panic: division by zero')
  assert.match((await reasonOf('unlisted')) ?? '', /^execution reverted with 0x[0-9a-f]{72}$/)
})
s('delivers the exact rest of a fee-on-transfer token', async () => {
  const taxed = await chain.deploy({ ...compileSolidity(taxedSource, 'Taxed'), args: [10n ** 24n] })
  await chain.send({
    to: taxed,
    abi: parseAbi(['function transfer(address, uint256) returns (bool)']),
    functionName: 'transfer',
    args: [shop, 10n ** 22n],
  })
  const data = encodeFunctionData({
    abi: exchange.abi,
    functionName: 'swap',
    args: [tokenA, taxed, 7_777_000n],
  })
  const result = await simulate({ ...sale(tokenA, 7_777_000n), tokenOut: taxed, data })
  assert.equal(result?.status === 'ok' && result.amountOut, 7777n - (7777n * 3n) / 100n)
})
const taxedSource = `contract Taxed {
  mapping(address => uint256) public balanceOf;
  constructor(uint256 supply) { balanceOf[msg.sender] = supply; }
  function transfer(address to, uint256 v) external returns (bool) {
    balanceOf[msg.sender] -= v; balanceOf[to] += v - v * 3 / 100; return true; }
}`
s.run()
