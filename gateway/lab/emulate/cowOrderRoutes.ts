import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import { type Call, readOptionalText, toInteger } from './call.ts'
import { readOrder, settlement } from './cowOrder.ts'
import { createCowOrders, isExpired, type PlacedOrder } from './cowOrders.ts'
import type { Answer, EmulatedRoute } from './emulatedProvider.ts'
import type { OnChain } from './facilitator.ts'
import { invalid, Refused } from './refusal.ts'
import type { Trades } from './trades.ts'

export const spellCow = (address: string) =>
  (isNative(address) ? nativeSpellings.e : address).toLowerCase()
export const toCowChain = (trades: Trades, { params }: Call) =>
  trades.toChainId('cow', params['chain'] ?? '')

const statusOf = (placed: PlacedOrder) => {
  if (placed.fill) return 'fulfilled'
  return isExpired(placed) ? 'expired' : 'open'
}
/** Of the last auction: what the whole order book calls by words of its own. */
const auctionWords = { fulfilled: 'traded', open: 'open', expired: 'cancelled' } as const

function writeOrder(placed: PlacedOrder) {
  const { uid, owner, order, createdAt, fill } = placed
  const { signed, receiver, fullAppData, signature, scheme } = order
  const sold = (fill?.sold ?? 0n).toString()
  return {
    ...signed,
    sellToken: spellCow(signed.sellToken),
    buyToken: spellCow(signed.buyToken),
    receiver: receiver?.toLowerCase() ?? null,
    sellAmount: signed.sellAmount.toString(),
    buyAmount: signed.buyAmount.toString(),
    feeAmount: '0',
    fullAppData,
    signature,
    signingScheme: scheme,
    uid,
    owner: owner.toLowerCase(),
    creationDate: createdAt.toISOString(),
    class: 'limit',
    status: statusOf(placed),
    invalidated: false,
    isLiquidityOrder: false,
    availableBalance: null,
    executedSellAmount: sold,
    executedSellAmountBeforeFees: sold,
    executedBuyAmount: (fill?.bought ?? 0n).toString(),
    executedFeeAmount: '0',
    executedFee: '0',
    executedFeeToken: spellCow(signed.sellToken),
    settlementContract: settlement.toLowerCase(),
    interactions: { pre: [], post: [] },
  }
}

/** Nobody else solves here, and an order is filled at once or not at all. */
function writeTrades({ uid, owner, order: { signed }, fill }: PlacedOrder) {
  if (!fill) return []
  const { sold, bought, txHash, blockNumber, logIndex } = fill
  const trade = {
    blockNumber,
    logIndex,
    orderUid: uid,
    owner: owner.toLowerCase(),
    sellToken: spellCow(signed.sellToken),
    buyToken: spellCow(signed.buyToken),
    sellAmount: sold.toString(),
    sellAmountBeforeFees: sold.toString(),
    buyAmount: bought.toString(),
    txHash,
    executedProtocolFees: [],
  }
  return [trade]
}

function writeAuction(placed: PlacedOrder) {
  const { fill } = placed
  const executedAmounts = fill && { sell: fill.sold.toString(), buy: fill.bought.toString() }
  return {
    type: auctionWords[statusOf(placed)],
    value: executedAmounts ? [{ solver: 'forkyard', executedAmounts }] : [],
  }
}

function toPart<value>(all: readonly value[], { query }: Call, usual: number): readonly value[] {
  const read = (name: string, fallback: number) =>
    query[name] === undefined ? fallback : toInteger(query, name)
  const offset = read('offset', 0)
  return all.slice(offset, offset + read('limit', usual))
}

/** The order book of a lab: orders are taken, settled on its chain and told of as CoW's tells of them. */
export function cowOrderRoutes({
  onChain,
}: {
  readonly onChain: OnChain
}): readonly EmulatedRoute[] {
  const orders = createCowOrders({ onChain })
  const isOf = (trades: Trades, call: Call) => {
    const chainId = toCowChain(trades, call)
    return ({ order }: PlacedOrder) => order.chainId === chainId
  }
  async function find(trades: Trades, call: Call): Promise<PlacedOrder> {
    const found = await orders.find(trades, call.params['uid'] ?? '')
    if (found && isOf(trades, call)(found)) return found
    throw new Refused({ kind: 'not_found', path: `order ${call.params['uid']}` })
  }
  async function list(trades: Trades, call: Call): Promise<readonly PlacedOrder[]> {
    const uid = readOptionalText(call.query, 'orderUid')
    const owner = readOptionalText(call.query, 'owner')
    if ((uid === undefined) === (owner === undefined))
      throw invalid('owner', 'or orderUid must be given, one of them')
    if (uid !== undefined) return [await find(trades, { ...call, params: { ...call.params, uid } })]
    return listOf(trades, call, owner)
  }
  const listOf = (trades: Trades, call: Call, owner = '') => {
    const isHere = isOf(trades, call)
    const named = owner.toLowerCase()
    return orders.list((placed) => isHere(placed) && placed.owner.toLowerCase() === named)
  }
  const listTrades = async (trades: Trades, call: Call) =>
    toPart((await list(trades, call)).flatMap(writeTrades), call, 10)
  const get = (
    path: string,
    handle: (trades: Trades, call: Call) => Promise<unknown>,
  ): EmulatedRoute => ({
    method: 'get',
    path: `/:chain/api${path}`,
    handle: async (trades, call) => ({ body: await handle(trades, call) }),
  })
  return [
    {
      method: 'post',
      path: '/:chain/api/v1/orders',
      async handle(trades, call): Promise<Answer> {
        const order = readOrder(call.body, toCowChain(trades, call))
        const placed = await orders.place(trades, order)
        if ('uid' in placed) return { status: 201, body: placed.uid }
        const [errorType, description] = placed
        return { status: 400, body: { errorType, description } }
      },
    },
    get('/v1/orders/:uid', async (trades, call) => writeOrder(await find(trades, call))),
    get('/v1/orders/:uid/status', async (trades, call) => writeAuction(await find(trades, call))),
    get('/v1/account/:owner/orders', async (trades, call) =>
      toPart(listOf(trades, call, call.params['owner']), call, 10).map(writeOrder),
    ),
    get('/v1/transactions/:hash/orders', async (trades, call) => {
      const isHere = isOf(trades, call)
      const hash = call.params['hash']?.toLowerCase()
      return orders.list((one) => isHere(one) && one.fill?.txHash === hash).map(writeOrder)
    }),
    get('/v1/trades', listTrades),
    get('/v2/trades', listTrades),
  ]
}
