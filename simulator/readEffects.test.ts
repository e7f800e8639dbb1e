import {
  type AbiEvent,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  type Hex,
  pad,
  parseAbiItem,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { findSideEffect, type Trade } from './readEffects.ts'
import type { SimulatedLog } from './rpc/readSimulated.ts'
import { addressOf, word } from './testing/answers.ts'

/** As contracts declare their events; logs are written in lower case, addresses of a trade may not be. */
const s = suite('simulator/readEffects')
const tokenIn = addressOf('a')
const tokenOut = addressOf('b')
const other = addressOf('c')
const taker = addressOf('d')
const recipient = addressOf('e')
const spender = addressOf('f')
const stranger = addressOf('1')
const trade: Trade = {
  taker: getAddress(taker),
  recipient: getAddress(recipient),
  tokenIn: getAddress(tokenIn),
  tokenOut: getAddress(tokenOut),
  amountIn: 100n,
  spender: getAddress(spender),
  allowance: 150n,
}
const find = (logs: readonly SimulatedLog[], change: Partial<Trade> = {}) =>
  findSideEffect(logs, { ...trade, ...change })

type Values = Readonly<Record<string, unknown>>
const parse = (declared: string) => parseAbiItem(`event ${declared}`) as AbiEvent
function emit(declared: string, address: Address, args: Values): SimulatedLog {
  const event = parse(declared)
  const rest = event.inputs.filter(({ indexed }) => !indexed)
  return {
    address,
    topics: encodeEventTopics({ abi: [event], eventName: event.name, args }) as readonly Hex[],
    data: encodeAbiParameters(
      rest,
      rest.map(({ name = '' }) => args[name]),
    ),
  }
}
type Move = readonly [from: Address, to: Address, amount: bigint]
const erc20 =
  (name: 'Transfer' | 'Approval') =>
  (token: Address, ...all: readonly Move[]) =>
    all.map(([from, to, amount]) =>
      emit(`${name}(address indexed from, address indexed to, uint256 amount)`, token, {
        from,
        to,
        amount,
      }),
    )
const [moves, approves] = [erc20('Transfer'), erc20('Approval')]

/** Whose it is, is `own`. */
const events = [
  ['approves somebody', 'Approval(address indexed own, address indexed spender, uint256 value)'],
  [
    'makes somebody an operator of',
    'ApprovalForAll(address indexed own, address indexed operator, bool approved)',
  ],
  [
    'makes somebody an operator of',
    'AuthorizedOperator(address indexed operator, address indexed own)',
  ],
  [
    'takes',
    'TransferSingle(address indexed operator, address indexed own, address indexed to, uint256 id, uint256 value)',
  ],
  [
    'takes',
    'TransferBatch(address indexed operator, address indexed own, address indexed to, uint256[] ids, uint256[] values)',
  ],
  [
    'takes',
    'Transfer(address caller, address indexed own, address indexed receiver, uint256 indexed id, uint256 amount)',
  ],
  [
    'approves somebody',
    'Approval(address indexed own, address indexed spender, uint256 indexed id, uint256 amount)',
  ],
  [
    'makes somebody an operator of',
    'OperatorSet(address indexed own, address indexed operator, bool approved)',
  ],
  ['withdraws', 'Withdrawal(address indexed own, uint256 wad)'],
  ['uses an authorization of', 'AuthorizationUsed(address indexed own, bytes32 indexed nonce)'],
  [
    'delegates credit of',
    'BorrowAllowanceDelegated(address indexed own, address indexed toUser, address indexed asset, uint256 amount)',
  ],
  [
    'borrows from',
    'Borrow(address indexed reserve, address user, address indexed own, uint256 amount, uint8 mode, uint256 rate, uint16 indexed referral)',
  ],
  [
    'authorizes somebody at',
    'SetAuthorization(address indexed caller, address indexed own, address indexed authorized, bool allowed)',
  ],
  [
    'withdraws what lies at',
    'WithdrawCollateral(bytes32 indexed id, address caller, address indexed own, address indexed receiver, uint256 assets)',
  ],
  [
    'withdraws what lies at',
    'Withdraw(bytes32 indexed id, address caller, address indexed own, address indexed receiver, uint256 assets, uint256 shares)',
  ],
  [
    'borrows from',
    'Borrow(bytes32 indexed id, address caller, address indexed own, address indexed receiver, uint256 assets, uint256 shares)',
  ],
  [
    'withdraws what lies at',
    'WithdrawCollateral(address indexed own, address indexed to, address indexed asset, uint256 amount)',
  ],
  [
    'withdraws what lies at',
    'TransferCollateral(address indexed own, address indexed to, address indexed asset, uint256 amount)',
  ],
  ['withdraws what lies at', 'Withdraw(address indexed own, address indexed to, uint256 amount)'],
  [
    'borrows from',
    'Borrow(address own, uint256 borrowAmount, uint256 accountBorrows, uint256 totalBorrows)',
  ],
  ['borrows from', 'Borrow(address indexed own, uint256 assets)'],
  [
    'changes what lies at',
    'InternalBalanceChanged(address indexed own, address indexed token, int256 delta)',
  ],
  [
    'authorizes somebody at',
    'RelayerApprovalChanged(address indexed relayer, address indexed own, bool approved)',
  ],
  [
    'withdraws what lies at',
    'LogWithdraw(address indexed token, address indexed own, address indexed to, uint256 amount, uint256 share)',
  ],
  [
    'withdraws what lies at',
    'LogTransfer(address indexed token, address indexed own, address indexed to, uint256 share)',
  ],
  [
    'authorizes somebody at',
    'LogSetMasterContractApproval(address indexed master, address indexed own, bool approved)',
  ],
  [
    'approves somebody by Permit2',
    'Approval(address indexed own, address indexed token, address indexed spender, uint160 amount, uint48 expiration)',
  ],
  [
    'approves somebody by Permit2',
    'Permit(address indexed own, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)',
  ],
  [
    'changes allowances of Permit2',
    'Lockdown(address indexed own, address token, address spender)',
  ],
  [
    'uses a nonce of Permit2',
    'NonceInvalidation(address indexed own, address indexed token, address indexed spender, uint48 newNonce, uint48 oldNonce)',
  ],
  [
    'uses a nonce of Permit2',
    'UnorderedNonceInvalidation(address indexed own, uint256 word, uint256 mask)',
  ],
] as const

/** A value of no account. */
function anyValue(type: string): unknown {
  if (type === 'bool') return true
  if (type === 'bytes32') return word(7n)
  if (type.endsWith('[]')) return [7n]
  return /^u?int(?:8|16|48)$/.test(type) ? 7 : 7n
}
for (const [says, declared] of events)
  s(`is told by ${declared}, of whose it is and of nobody else [teeth/effects]`, () => {
    const by = (own: Address, others: Address) => {
      const values = parse(declared).inputs.map(({ name = '', type }) => {
        if (type !== 'address') return [name, anyValue(type)]
        return [name, name === 'own' ? own : others]
      })
      return find([emit(declared, other, Object.fromEntries(values))])
    }
    const sentence = `${says} ${other} for the taker beside the trade`
    assert.is(by(taker, stranger), sentence)
    assert.is(by(recipient, stranger), sentence)
    assert.is(by(stranger, taker), undefined)
  })

s('is none where nothing is told, or nothing that is known [teeth/effects-none]', () => {
  assert.is(find([]), undefined)
  assert.is(find([], { amountIn: 0n }), undefined)
  const unknown = { address: other, topics: [word(7n), pad(taker)], data: '0x' } as const
  const nameless = { address: other, topics: [], data: pad(taker) } as const
  assert.is(find([unknown, nameless]), undefined)
  // What comes behind them is read.
  assert.is(
    find([nameless, unknown, ...moves(other, [taker, stranger, 1n])]),
    `takes ${other} of the taker beside the trade`,
  )
})
s('takes what is sold, less what comes back, and no unit more [teeth/effects-sold]', () => {
  const more = 'takes more of the input token than the trade'
  const sells = (...all: readonly Move[]) => find(moves(tokenIn, ...all))
  assert.is(sells([taker, stranger, 100n]), undefined)
  assert.is(sells([taker, stranger, 101n]), more)
  assert.is(sells([taker, stranger, 60n], [taker, spender, 41n]), more)
  assert.is(sells([taker, stranger, 150n], [stranger, taker, 50n]), undefined)
  assert.is(sells([taker, stranger, 150n], [stranger, taker, 49n]), more)
  assert.is(sells([stranger, recipient, 5n], [recipient, stranger, 105n]), undefined)
  assert.is(sells([taker, recipient, 900n]), undefined)
  // One whose amount stands nowhere is of nothing.
  const bare = moves(tokenIn, [taker, stranger, 7n]).map((log) => ({ ...log, data: '0x' as const }))
  const sellsBeside = (amount: bigint) =>
    find([...bare, ...moves(tokenIn, [taker, stranger, amount])])
  assert.equal([sellsBeside(100n), sellsBeside(101n)], [undefined, more])
})
s('takes no more of the output than it has paid [teeth/effects-bought]', () => {
  const buys = (paid: bigint, taken: bigint, change: Partial<Trade> = {}) =>
    find(moves(tokenOut, [stranger, taker, paid], [taker, stranger, taken]), change)
  assert.equal([buys(10n, 1n), buys(10n, 10n)], [undefined, undefined])
  assert.is(buys(10n, 11n), 'takes more of the output token than it pays')
  assert.is(buys(10n, 1n, { tokenIn: zeroAddress }), undefined)
})
s('takes nothing else of its taker, nor a collectible of the trade [teeth/effects-others]', () => {
  const takes = (token: Address) => `takes ${token} of the taker beside the trade`
  assert.is(find(moves(other, [taker, stranger, 1n])), takes(other))
  assert.is(find(moves(other, [recipient, stranger, 1n])), takes(other))
  assert.is(find(moves(other, [stranger, taker, 1n], [stranger, spender, 1n])), undefined)
  // Where the native currency is sold, no token of that address is.
  const native = { tokenIn: zeroAddress }
  assert.is(find(moves(zeroAddress, [taker, stranger, 1n]), native), takes(zeroAddress))
  const collectible = (from: Address, to: Address) =>
    emit('Transfer(address indexed from, address indexed to, uint256 indexed id)', tokenIn, {
      from,
      to,
      id: 50n,
    })
  assert.is(find([collectible(taker, stranger)]), takes(tokenIn))
  const sold = moves(tokenIn, [taker, stranger, 101n])
  assert.is(
    find([collectible(stranger, taker), ...sold]),
    'takes more of the input token than the trade',
    'its number is no amount',
  )
})
s("leaves the trade's own allowance at what it was, or less [teeth/effects-allowance]", () => {
  const says = `approves somebody ${tokenIn} for the taker beside the trade`
  assert.is(find(approves(tokenIn, [taker, spender, 150n], [taker, spender, 0n])), undefined)
  assert.is(find(approves(tokenIn, [taker, spender, 151n])), says)
  assert.is(find(approves(tokenIn, [taker, stranger, 1n])), says)
  assert.is(find(approves(tokenIn, [taker, spender, 1n]), { spender: undefined }), says)
  assert.is(find(approves(tokenOut, [taker, spender, 1n])), says.replace(tokenIn, tokenOut))
})
s.run()
