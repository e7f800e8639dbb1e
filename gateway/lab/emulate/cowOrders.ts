import { LRUCache } from 'lru-cache'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { getBalance, getTransactionReceipt, readContract } from 'viem/actions'
import { createSlowLane } from '../../../simulator/slowLane.ts'
import { isNative } from '../../chain/native.ts'
import {
  type CowOrder,
  findFault,
  findOwner,
  type OrderRefusal,
  settlement,
  toUid,
  vaultRelayer,
} from './cowOrder.ts'
import type { OnChain } from './facilitator.ts'
import { Refused } from './refusal.ts'
import type { Trade, Trades } from './trades.ts'

export type Fill = {
  readonly sold: bigint
  readonly bought: bigint
  readonly txHash: Hex
  readonly blockNumber: number
  readonly logIndex: number
}
export type PlacedOrder = {
  readonly uid: Hex
  readonly owner: Address
  readonly order: CowOrder
  readonly createdAt: Date
  readonly fill?: Fill | undefined
}

const mostOrders = 10_000
/** A wallet's own allowance for the pools to move between the look and the swap; the signed bound stands. */
const slippageBps = 50
/** Why an order waits for a better price. */
const waits: readonly string[] = ['moved', 'no_route']

export type CowOrders = ReturnType<typeof createCowOrders>

/** The orders of a lab: each is settled as soon as the pools give what was signed, looked at whenever somebody asks. */
export function createCowOrders({ onChain }: { readonly onChain: OnChain }) {
  const orders = new LRUCache<Hex, PlacedOrder>({ max: mostOrders })
  /** The relayer moves what one order sells, and then the next. */
  const oneByOne = createSlowLane()

  const settle = (trades: Trades, uid: Hex) =>
    oneByOne(async () => {
      const placed = orders.get(uid)
      if (!placed || placed.fill || isExpired(placed)) return placed
      const trade = await findTrade(trades, placed)
      if (!trade) return placed
      const fill = await execute({ trades, onChain }, { placed, trade })
      const filled = { ...placed, fill }
      orders.set(uid, filled)
      return filled
    })

  return {
    async place(trades: Trades, order: CowOrder): Promise<PlacedOrder | OrderRefusal> {
      const fault = findFault(order, Date.now() / 1000)
      if (fault) return fault
      const owner = await findOwner(trades.clientOf(order.chainId), order)
      if (typeof owner !== 'string') return owner
      const uid = toUid(order, owner)
      const lacking = orders.has(uid) ? undefined : await findLacking(trades, { order, owner })
      if (lacking) return lacking
      // Looked at last: the same order may have come while its owner's funds were read.
      if (orders.has(uid)) return ['DuplicatedOrder', 'order already exists']
      const placed = { uid, owner, order, createdAt: new Date() }
      orders.set(uid, placed)
      return (await settle(trades, uid)) ?? placed
    },
    /** As it is by now. */
    find: (trades: Trades, uid: string) => settle(trades, uid.toLowerCase() as Hex),
    /** The newest first. */
    list: (isWanted: (placed: PlacedOrder) => boolean): readonly PlacedOrder[] =>
      [...orders.values()]
        .filter(isWanted)
        .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime()),
  }
}

export const isExpired = ({ order, fill }: PlacedOrder): boolean =>
  !fill && order.signed.validTo * 1000 <= Date.now()

async function findLacking(
  trades: Trades,
  { order: { chainId, signed }, owner }: { readonly order: CowOrder; readonly owner: Address },
): Promise<OrderRefusal | undefined> {
  const { sellToken: token, sellAmount } = signed
  const held = await trades.readFunds({ chainId, token, owner, spender: vaultRelayer })
  if (held.balance < sellAmount)
    return ['InsufficientBalance', 'order owner must have funds worth at least x in his account']
  if (held.allowance < sellAmount)
    return ['InsufficientAllowance', 'order owner must give allowance to VaultRelayer']
  return undefined
}

/** Undefined while the pools give less than was signed for. */
async function findTrade(
  trades: Trades,
  { order, owner }: PlacedOrder,
): Promise<Trade | undefined> {
  const { chainId, receiver, signed } = order
  const { sellToken: tokenIn, buyToken: tokenOut, sellAmount, buyAmount, kind: side } = signed
  const asked = { chainId, tokenIn, tokenOut, side, slippageBps, recipient: receiver ?? owner }
  try {
    const trade = await trades.find(
      side === 'buy'
        ? { ...asked, amount: buyAmount }
        : { ...asked, amount: sellAmount, floor: buyAmount },
    )
    return trade.amountIn <= sellAmount ? trade : undefined
  } catch (error) {
    if (error instanceof Refused && waits.includes(error.refusal.kind)) return undefined
    throw error
  }
}

/** The relayer takes what is sold by the owner's own allowance; the settlement swaps it for the receiver. */
async function execute(
  { trades, onChain }: { readonly trades: Trades; readonly onChain: OnChain },
  { placed, trade }: { readonly placed: PlacedOrder; readonly trade: Trade },
): Promise<Fill> {
  const { owner, order } = placed
  const { chainId, signed, receiver = owner } = order
  const { sellToken, buyToken } = signed
  const { amountIn, execution } = trade
  const client = trades.clientOf(chainId)
  const read = () =>
    isNative(buyToken)
      ? getBalance(client, { address: receiver })
      : readContract(client, {
          address: buyToken,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [receiver],
        })
  const token = (functionName: 'transfer' | 'approve', to: Address) => ({
    to: sellToken,
    data: encodeFunctionData({ abi: erc20Abi, functionName, args: [to, amountIn] }),
  })
  const before = await read()
  const txHash = await onChain(chainId, async ({ impersonate }) => {
    const args = [owner, settlement, amountIn] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
    await impersonate(vaultRelayer).send({ to: sellToken, data })
    const { send } = impersonate(settlement)
    try {
      await send(token('approve', execution.spender))
      return await send({ to: execution.target, data: execution.data, value: execution.value })
    } catch (error) {
      await send(token('transfer', owner))
      throw error
    }
  })
  const { blockNumber, logs } = await getTransactionReceipt(client, { hash: txHash })
  return {
    sold: amountIn,
    bought: (await read()) - before,
    txHash,
    blockNumber: Number(blockNumber),
    logIndex: logs.at(-1)?.logIndex ?? 0,
  }
}
