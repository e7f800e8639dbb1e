import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  pad,
  toEventSelector,
  zeroAddress,
  zeroHash,
} from 'viem'
import { readContract } from 'viem/actions'
import { makeQuote, makeRequest } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { compileSolidity } from '../../simulator/testing/compileSolidity.ts'
import { startSwapWorld } from '../../simulator/testing/swapWorld.ts'
import { deployer } from '../../simulator/testing/testChain.ts'
import { startTestForks } from '../../simulator/testing/testForks.ts'
import { bestOf } from './rank.ts'
import { simulateQuotes } from './simulateQuotes.ts'

/** Payloads that make the honest trade, better than anybody, and do something else to the taker beside it. */
const s = suite('meta/sideEffects')
const world = await startSwapWorld()
const { chain, tokenA, tokenB, weth } = world
const simulator = await createSimulator({
  forks: await startTestForks(),
  chains: [{ chainId: 8453, upstreamUrl: chain.rpcUrl }],
})
s.after(async () => {
  await simulator.close()
  await chain.close()
})

const source = `
interface Token {
  function transferFrom(address, address, uint256) external returns (bool);
  function transfer(address, uint256) external returns (bool);
}
// Where the taker has an allowance from before.
contract Accomplice {
  function take(Token token, address from, uint256 amount) external { token.transferFrom(from, address(this), amount); }
  function takeOrGoOn(Token token, address from, uint256 amount) external {
    try token.transferFrom(from, address(this), amount) {} catch {}
  }
}
// Says whatever it is told to, as any contract can whose events somebody trusts.
contract Odd {
  fallback() external {
    assembly {
      let n := calldataload(0)
      let size := sub(calldatasize(), 160)
      calldatacopy(0, 160, size)
      switch n
      case 1 { log1(0, size, calldataload(32)) }
      case 2 { log2(0, size, calldataload(32), calldataload(64)) }
      case 3 { log3(0, size, calldataload(32), calldataload(64), calldataload(96)) }
      default { log4(0, size, calldataload(32), calldataload(64), calldataload(96), calldataload(128)) }
    }
  }
}
// A token whose allowances and balances change without a word.
contract Quiet {
  mapping(address => mapping(address => uint256)) public allowance;
  mapping(address => uint256) public balanceOf;
  function gift(address to, uint256 amount) external { balanceOf[to] += amount; }
  function whisper(address owner, address spender) external { allowance[owner][spender] = 1; }
  function vanish(address owner) external { balanceOf[owner] -= 1; }
  function approve(address spender, uint256 amount) external returns (bool) {
    allowance[msg.sender][spender] = amount;
    return true;
  }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    allowance[from][msg.sender] -= amount;
    balanceOf[from] -= amount;
    balanceOf[to] += amount;
    return true;
  }
}
contract Router {
  function trade(Token tokenIn, uint256 amountIn, Token tokenOut, uint256 amountOut, address extra, bytes calldata data) external payable {
    tradeFor(msg.sender, tokenIn, amountIn, tokenOut, amountOut, extra, data);
  }
  function tradeFor(address to, Token tokenIn, uint256 amountIn, Token tokenOut, uint256 amountOut, address extra, bytes calldata data) public payable {
    if (address(tokenIn) != address(0)) tokenIn.transferFrom(msg.sender, address(this), amountIn);
    tokenOut.transfer(to, amountOut);
    if (extra != address(0)) { (bool ok,) = extra.call(data); require(ok, "the extra call failed"); }
  }
}`
const [accomplice, odd, quiet, router] = await (async () => {
  const deployed: Address[] = []
  for (const name of ['Accomplice', 'Odd', 'Quiet', 'Router'])
    deployed.push(await chain.deploy(compileSolidity(source, name)))
  return deployed as [Address, Address, Address, Address]
})()
const abiOf = (name: string) => compileSolidity(source, name).abi
const taker = deployer.address
const ether = 10n ** 18n
const send = (to: Address, functionName: string, args: readonly unknown[]) =>
  chain.send({ to, abi: world.tokenAbi, functionName, args })
await send(tokenB, 'transfer', [router, 1_000n * ether])
for (const token of [tokenA, tokenB]) await send(token, 'approve', [accomplice, 2n ** 255n])
await chain.send({ to: quiet, abi: abiOf('Quiet'), functionName: 'gift', args: [taker, 5n] })

const thief: Address = '0x6666666666666666666666666666666666666666'
const word = (value: Address | bigint) =>
  typeof value === 'bigint' ? pad(`0x${value.toString(16)}`) : pad(value)

/** An event of a contract: indexed values as topics, the others as data. */
function says(event: string, indexed: readonly Hex[], data: readonly Hex[] = []): Extra {
  const topics = [toEventSelector(`event ${event}`), ...indexed]
  const slots = [...topics, zeroHash, zeroHash, zeroHash].slice(0, 4)
  const words = [word(BigInt(topics.length)), ...slots, ...data]
  return [odd, `0x${words.map((each) => each.slice(2)).join('')}`]
}
type Extra = readonly [to: Address, data: Hex]
const take = (token: Address, amount: bigint): Extra => [
  accomplice,
  encodeFunctionData({
    abi: abiOf('Accomplice'),
    functionName: 'take',
    args: [token, taker, amount],
  }),
]
const callQuiet = (functionName: string, args: readonly unknown[]): Extra => [
  quiet,
  encodeFunctionData({ abi: abiOf('Quiet'), functionName, args }),
]
const me = word(taker)
const him = word(thief)
const most = word(2n ** 256n - 1n)

/** What is done beside the trade, and the reason that the quote is reverted with. */
const effects: readonly (readonly [name: string, extra: Extra, reason: RegExp])[] = [
  ['takes the input token twice', take(tokenA, ether), /takes more of the input token/],
  [
    'takes more of the output token than it pays',
    take(tokenB, 11n * ether),
    /no output received|more of the output token/,
  ],
  [
    'takes another token',
    says('Transfer(address,address,uint256)', [me, him], [word(1n)]),
    /takes 0x.* beside the trade/,
  ],
  [
    'takes a token whose event indexes nothing',
    says('Transfer(address,address,uint256)', [], [me, him, word(1n)]),
    /takes 0x.* beside the trade/,
  ],
  [
    'takes a collectible',
    says('Transfer(address,address,uint256)', [me, him, word(7n)]),
    /takes 0x.* beside the trade/,
  ],
  [
    'takes an ERC-1155 token',
    says('TransferSingle(address,address,address,uint256,uint256)', [him, me, him], [me, me]),
    /takes 0x/,
  ],
  [
    'takes many ERC-1155 tokens',
    says('TransferBatch(address,address,address,uint256[],uint256[])', [him, me, him], []),
    /takes 0x/,
  ],
  [
    'approves another token',
    says('Approval(address,address,uint256)', [me, him], [most]),
    /approves somebody 0x/,
  ],
  [
    'approves a collectible',
    says('Approval(address,address,uint256)', [me, him, word(7n)]),
    /approves somebody 0x/,
  ],
  [
    'gives a whole collection',
    says('ApprovalForAll(address,address,bool)', [me, him], [word(1n)]),
    /makes somebody an operator of 0x/,
  ],
  [
    'gives an ERC-777 operator',
    says('AuthorizedOperator(address,address)', [him, me]),
    /makes somebody an operator of 0x/,
  ],
  [
    'approves by Permit2',
    says('Approval(address,address,address,uint160,uint48)', [me, him, him], [most, most]),
    /Permit2/,
  ],
  [
    'uses a permit of Permit2',
    says('Permit(address,address,address,uint160,uint48,uint48)', [me, him, him], [me, me, me]),
    /Permit2/,
  ],
  [
    'uses an ordered nonce of Permit2',
    says('NonceInvalidation(address,address,address,uint48,uint48)', [me, him, him], [me, me]),
    /nonce of Permit2/,
  ],
  [
    'uses an unordered nonce of Permit2',
    says('UnorderedNonceInvalidation(address,uint256,uint256)', [me], [word(1n), word(1n)]),
    /nonce of Permit2/,
  ],
  [
    'takes the allowances of Permit2 away',
    says('Lockdown(address,address,address)', [me], [him, him]),
    /Permit2/,
  ],
  [
    'takes a claim of Uniswap v4',
    says('Transfer(address,address,address,uint256,uint256)', [me, him, word(1n)], [him, word(1n)]),
    /takes 0x/,
  ],
  [
    'approves a claim of Uniswap v4',
    says('Approval(address,address,uint256,uint256)', [me, him, word(1n)], [most]),
    /approves somebody 0x/,
  ],
  [
    'gives all claims of Uniswap v4',
    says('OperatorSet(address,address,bool)', [me, him], [word(1n)]),
    /makes somebody an operator of 0x/,
  ],
  ['uses an authorization', says('AuthorizationUsed(address,bytes32)', [me, him]), /authorization/],
  [
    'delegates credit',
    says('BorrowAllowanceDelegated(address,address,address,uint256)', [me, him, him], [most]),
    /delegates credit/,
  ],
  [
    'borrows for the taker',
    says(
      'Borrow(address,address,address,uint256,uint8,uint256,uint16)',
      [him, me, word(0n)],
      [him, most],
    ),
    /borrows/,
  ],
  [
    'authorizes somebody at a lending market',
    says('SetAuthorization(address,address,address,bool)', [him, me, him], [word(1n)]),
    /authorizes somebody/,
  ],
  [
    "withdraws the taker's collateral from Morpho",
    says(
      'WithdrawCollateral(bytes32,address,address,address,uint256)',
      [word(1n), me, him],
      [him, most],
    ),
    /withdraws what lies at 0x/,
  ],
  [
    "withdraws the taker's deposit from Morpho",
    says(
      'Withdraw(bytes32,address,address,address,uint256,uint256)',
      [word(1n), me, him],
      [him, most, most],
    ),
    /withdraws what lies at 0x/,
  ],
  [
    'borrows for the taker from Morpho',
    says(
      'Borrow(bytes32,address,address,address,uint256,uint256)',
      [word(1n), me, him],
      [him, most, most],
    ),
    /borrows/,
  ],
  [
    "withdraws the taker's collateral from Compound",
    says('WithdrawCollateral(address,address,address,uint256)', [me, him, him], [most]),
    /withdraws what lies at 0x/,
  ],
  [
    "moves the taker's collateral at Compound",
    says('TransferCollateral(address,address,address,uint256)', [me, him, him], [most]),
    /withdraws what lies at 0x/,
  ],
  [
    'withdraws or borrows for the taker from Compound',
    says('Withdraw(address,address,uint256)', [me, him], [most]),
    /withdraws what lies at 0x/,
  ],
  [
    'borrows for the taker from a market of Compound v2',
    says('Borrow(address,uint256,uint256,uint256)', [], [me, most, most, most]),
    /borrows/,
  ],
  ['borrows for the taker from Euler', says('Borrow(address,uint256)', [me], [most]), /borrows/],
  [
    "takes from the taker's internal balance of Balancer",
    says('InternalBalanceChanged(address,address,int256)', [me, him], [most]),
    /changes what lies at 0x/,
  ],
  [
    'gives somebody what the taker has at Balancer',
    says('RelayerApprovalChanged(address,address,bool)', [him, me], [word(1n)]),
    /authorizes somebody/,
  ],
  [
    "withdraws the taker's deposit from BentoBox",
    says('LogWithdraw(address,address,address,uint256,uint256)', [him, me, him], [most, most]),
    /withdraws what lies at 0x/,
  ],
  [
    "moves the taker's deposit within BentoBox",
    says('LogTransfer(address,address,address,uint256)', [him, me, him], [most]),
    /withdraws what lies at 0x/,
  ],
  [
    'gives somebody what the taker has at BentoBox',
    says('LogSetMasterContractApproval(address,address,bool)', [him, me], [word(1n)]),
    /authorizes somebody/,
  ],
  ['unwraps what the taker holds', says('Withdrawal(address,uint256)', [me], [most]), /withdraws/],
  [
    'approves without a word',
    callQuiet('whisper', [taker, thief]),
    /approves somebody 0x.* beside the trade/,
  ],
  ['takes without a word', callQuiet('vanish', [taker]), /takes 0x.* beside the trade/],
]

/** 1 A for 10 B: five times what the pool pays. */
function quoteOf(
  [extra, data]: Extra = [zeroAddress, '0x'],
  { amountOut = 10n * ether, tokenIn = tokenA } = {},
) {
  return makeQuote({
    provider: 'unlisted',
    mustBeProved: true,
    amountIn: ether,
    maxAmountIn: ether,
    amountOut,
    minAmountOut: amountOut,
    target: router,
    approveTarget: router,
    calldata: encodeFunctionData({
      abi: abiOf('Router'),
      functionName: 'trade',
      args: [tokenIn, ether, tokenB, amountOut, extra, data],
    }),
  })
}
const request = makeRequest({
  tokenIn: tokenA,
  tokenOut: tokenB,
  sender: taker,
  recipient: taker,
  trade: { type: 'exactInput', amountIn: ether },
})
const simulate = async (quotes: readonly ReturnType<typeof quoteOf>[], asked = request) => {
  const { simulations } = await simulateQuotes(
    {
      dryRunOf: () => simulator.simulateCandidates,
      commonTokensOf: () => [weth, quiet],
      onFault: ({ error }) => {
        throw error
      },
    },
    {
      quotes,
      request: asked,
      proxy: undefined,
      nowMs: Date.now(),
      signal: new AbortController().signal,
    },
  )
  return simulations
}

s('lets the honest trade win', async () => {
  const [honest] = await simulate([quoteOf()])
  assert.is(honest?.status, 'success', honest?.error)
  assert.equal(honest?.actualOutput, 10n * ether)
})

s(
  'reverts every trade with something beside it, and says what [strangers/side-effects]',
  async () => {
    const quotes = effects.map(([, extra]) => quoteOf(extra))
    const simulations = await simulate(quotes)
    for (const [index, [name, , reason]] of effects.entries()) {
      const simulation = simulations[index]
      assert.is(simulation?.status, 'reverted', `${name}: ${JSON.stringify(simulation?.error)}`)
      assert.match(simulation?.error ?? '', reason, name)
    }
    const entry = { provider: 'x', attempts: 1, elapsedMs: 1, receivedAtMs: 1 }
    const ranked = quotes.map((quote, index) => ({
      entry: { ...entry, outcome: { status: 'quote' as const, quote } },
      quote,
      simulation: simulations[index] ?? { status: 'pending' as const },
    }))
    assert.is(bestOf(ranked), undefined)
  },
)

s(
  'lets a token count down the allowance of the trade, and take its tax from the output',
  async () => {
    const [down, tax] = await simulate([
      // The remaining allowance, as OpenZeppelin's tokens of old say it, but of another contract: not the same.
      quoteOf(says('Approval(address,address,uint256)', [me, word(router)], [word(0n)])),
      quoteOf(take(tokenB, ether)),
    ])
    assert.is(down?.status, 'reverted')
    assert.is(tax?.status, 'success', tax?.error)
    assert.equal(tax?.actualOutput, 9n * ether)
  },
)

s('takes nothing that only a taker of its real wealth has to lose [17/real-balance]', async () => {
  const wealth = await readContract(chain.client, {
    address: tokenA,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [taker],
  })
  assert.ok(wealth > 100n * ether)
  const args = [tokenA, taker, wealth - ether]
  const [silent] = await simulate([
    quoteOf([
      accomplice,
      encodeFunctionData({ abi: abiOf('Accomplice'), functionName: 'takeOrGoOn', args }),
    ]),
  ])
  assert.is(
    silent?.status,
    'reverted',
    JSON.stringify(silent, (_, value) => String(value)),
  )
  assert.match(silent?.error ?? '', /takes more of the input token/)
})

s('looks at the owner where the proxy that sends is not there yet [17/owner-effects]', async () => {
  const sender: Address = '0x00000000000000000000000000000000000bEEF1'
  const tradeFor = (extra: Extra = [zeroAddress, '0x']) => {
    const args = [taker, tokenA, ether, tokenB, 10n * ether, ...extra]
    const abi = abiOf('Router')
    return {
      ...quoteOf(),
      calldata: encodeFunctionData({ abi, functionName: 'tradeFor', args }),
    }
  }
  const takes = says('Transfer(address,address,uint256)', [me, him], [word(1n)])
  const [taking, honest] = await simulate([tradeFor(takes), tradeFor()], { ...request, sender })
  assert.match(taking?.error ?? '', /takes 0x.* beside the trade/)
  assert.is(honest?.status, 'success', honest?.error)
})

/** From a source whose payloads name listed contracts only. */
const listed = (...parts: Parameters<typeof quoteOf>) => ({
  ...quoteOf(...parts),
  mustBeProved: undefined,
})

s(
  'reads the same from a listed source by its logs and balances [strangers/side-effects-listed]',
  async () => {
    // Tokens that we know say of each allowance that they give it.
    const told = effects.filter(([name]) => name !== 'approves without a word')
    // Its taker holds what it sells and no more: nobody can take it twice.
    const simulations = await simulate(told.map(([, extra]) => listed(extra)))
    assert.equal(
      simulations.map(({ status }) => status),
      told.map(() => 'reverted'),
    )
  },
)

s(
  'reads the allowances of traded tokens also of a listed source [strangers/silent-allowance]',
  async () => {
    const asked = { ...request, tokenIn: quiet }
    const whisper = callQuiet('whisper', [taker, thief])
    const [honest, silent] = await simulate(
      [listed(undefined, { tokenIn: quiet }), listed(whisper, { tokenIn: quiet })],
      asked,
    )
    assert.is(honest?.status, 'success', honest?.error)
    assert.is(silent?.status, 'reverted')
    assert.match(silent?.error ?? '', /approves somebody 0x.* beside the trade/)
  },
)

s.run()
