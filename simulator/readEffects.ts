import { type Address, type Hex, toEventSelector, zeroAddress } from 'viem'
import type { SimulatedLog } from './rpc/readSimulated.ts'

/** What the candidate is meant to do to its taker, and nothing else. */
export type Trade = {
  readonly taker: Address
  /** Whose trade it is as well: who gets the output. */
  readonly recipient: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly spender: Address | undefined
  /** What the spender was allowed before the call. */
  readonly allowance: bigint
}

/** Which of an event's values, indexed ones first, is whose it is, and what it says of them. */
const ownerEvents = [
  ['Approval(address,address,uint256)', 0, 'approves somebody'],
  ['ApprovalForAll(address,address,bool)', 0, 'makes somebody an operator of'],
  ['AuthorizedOperator(address,address)', 1, 'makes somebody an operator of'],
  ['TransferSingle(address,address,address,uint256,uint256)', 1, 'takes'],
  ['TransferBatch(address,address,address,uint256[],uint256[])', 1, 'takes'],
  // ERC-6909, as the claims of Uniswap v4 are.
  ['Transfer(address,address,address,uint256,uint256)', 0, 'takes'],
  ['Approval(address,address,uint256,uint256)', 0, 'approves somebody'],
  ['OperatorSet(address,address,bool)', 0, 'makes somebody an operator of'],
  ['Withdrawal(address,uint256)', 0, 'withdraws'],
  ['AuthorizationUsed(address,bytes32)', 0, 'uses an authorization of'],
  ['BorrowAllowanceDelegated(address,address,address,uint256)', 0, 'delegates credit of'],
  ['Borrow(address,address,address,uint256,uint8,uint256,uint16)', 1, 'borrows from'],
  ['SetAuthorization(address,address,address,bool)', 1, 'authorizes somebody at'],
  // Morpho, Compound and Euler: what lies there is no token that could tell of itself.
  ['WithdrawCollateral(bytes32,address,address,address,uint256)', 1, 'withdraws what lies at'],
  ['Withdraw(bytes32,address,address,address,uint256,uint256)', 1, 'withdraws what lies at'],
  ['Borrow(bytes32,address,address,address,uint256,uint256)', 1, 'borrows from'],
  ['WithdrawCollateral(address,address,address,uint256)', 0, 'withdraws what lies at'],
  ['TransferCollateral(address,address,address,uint256)', 0, 'withdraws what lies at'],
  ['Withdraw(address,address,uint256)', 0, 'withdraws what lies at'],
  ['Borrow(address,uint256,uint256,uint256)', 0, 'borrows from'],
  ['Borrow(address,uint256)', 0, 'borrows from'],
  // Balancer's vault.
  ['InternalBalanceChanged(address,address,int256)', 0, 'changes what lies at'],
  ['RelayerApprovalChanged(address,address,bool)', 1, 'authorizes somebody at'],
  // BentoBox and its forks.
  ['LogWithdraw(address,address,address,uint256,uint256)', 1, 'withdraws what lies at'],
  ['LogTransfer(address,address,address,uint256)', 1, 'withdraws what lies at'],
  ['LogSetMasterContractApproval(address,address,bool)', 1, 'authorizes somebody at'],
  // Permit2.
  ['Approval(address,address,address,uint160,uint48)', 0, 'approves somebody by Permit2'],
  ['Permit(address,address,address,uint160,uint48,uint48)', 0, 'approves somebody by Permit2'],
  ['Lockdown(address,address,address)', 0, 'changes allowances of Permit2'],
  ['NonceInvalidation(address,address,address,uint48,uint48)', 0, 'uses a nonce of Permit2'],
  ['UnorderedNonceInvalidation(address,uint256,uint256)', 0, 'uses a nonce of Permit2'],
] as const
const known: ReadonlyMap<string, { readonly at: number; readonly says: string }> = new Map(
  ownerEvents.map(([event, at, says]) => [toEventSelector(`event ${event}`), { at, says }]),
)
const transferTopic = toEventSelector('event Transfer(address,address,uint256)')
const approvalTopic = toEventSelector('event Approval(address,address,uint256)')

/** All values of an event in order of their place: indexed ones, then words of its data. */
function valuesOf({ topics, data }: SimulatedLog): readonly Hex[] {
  const words = data.slice(2).match(/.{64}/g) ?? []
  return [...topics.slice(1), ...words.map((word): Hex => `0x${word}`)]
}

const isAddress = (word: Hex | undefined, address: Address) =>
  word?.slice(-40).toLowerCase() === address.slice(2).toLowerCase()
const isSame = (a: Address, b: Address | undefined) => a.toLowerCase() === b?.toLowerCase()
const toAmount = (word: Hex | undefined) => (word === undefined ? 0n : BigInt(word))

/** A token counts what is left of the allowance that the trade was given. */
function isOwnAllowance({ address }: SimulatedLog, values: readonly Hex[], trade: Trade): boolean {
  const [, spender, amount] = values
  return (
    isSame(address, trade.tokenIn) &&
    trade.spender !== undefined &&
    isAddress(spender, trade.spender) &&
    toAmount(amount) <= trade.allowance
  )
}

/**
 * What a candidate's logs, of whatever contract, say that it did to its taker beyond the trade; undefined
 * where nothing. Of the input token the taker may lose what is sold, of the output token what it has just
 * got: some tokens take their tax that way.
 */
export function findSideEffect(logs: readonly SimulatedLog[], trade: Trade): string | undefined {
  const { tokenIn, tokenOut, amountIn } = trade
  const isOwn = (word: Hex | undefined) =>
    isAddress(word, trade.taker) || isAddress(word, trade.recipient)
  const spent = new Map<string, bigint>()
  const spentOf = (token: Address) => spent.get(token.toLowerCase()) ?? 0n
  for (const log of logs) {
    const [topic] = log.topics
    if (topic === undefined) continue
    const values = valuesOf(log)
    const token = log.address.toLowerCase()
    if (topic === transferTopic) {
      const [from, to, amount] = values
      // An indexed third value is the number of a collectible.
      const isCollectible = log.topics.length === 4
      if (isOwn(from)) {
        const isTraded = isSame(log.address, tokenIn) || isSame(log.address, tokenOut)
        if (isCollectible || !isTraded || (tokenIn === zeroAddress && isSame(log.address, tokenIn)))
          return `takes ${log.address} of the taker beside the trade`
        spent.set(token, spentOf(log.address) + toAmount(amount))
      }
      if (isOwn(to) && !isCollectible) spent.set(token, spentOf(log.address) - toAmount(amount))
      continue
    }
    const event = known.get(topic)
    if (!event || !isOwn(values[event.at])) continue
    if (topic === approvalTopic && isOwnAllowance(log, values, trade)) continue
    return `${event.says} ${log.address} for the taker beside the trade`
  }
  if (spentOf(tokenIn) > amountIn) return 'takes more of the input token than the trade'
  if (spentOf(tokenOut) > 0n) return 'takes more of the output token than it pays'
  return undefined
}
