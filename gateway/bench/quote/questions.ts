import { generateTrades } from '../routing/generateMarket.ts'
import { chainId, createGeneratedChain } from './generatedChain.ts'
import { marketSize } from './marketSize.ts'

const hotQuestions = 100
const sent = 4_000
const taker = '0xBcd4042DE499D14e55001CcbB24a551F3b954096'

export type Question = {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
}

/** Questions as wallets ask them: the n-th most popular one is asked one n-th as often as the first. */
export function createQuestions({ freshPercent }: { readonly freshPercent: number }): Question[] {
  const { market } = createGeneratedChain(marketSize)
  const { trades } = generateTrades(market, hotQuestions)
  const { random } = market
  const popular = trades.flatMap((trade, rank) =>
    Array.from({ length: Math.ceil(hotQuestions / (rank + 1)) }, () => trade),
  )
  const pick = () => popular[Math.floor(random() * popular.length)]
  return Array.from({ length: sent }, () => {
    const trade = pick()
    if (!trade) throw new Error('there are trades')
    const isFresh = random() * 100 < freshPercent
    const amount = BigInt(trade.amount)
    const amountIn = isFresh
      ? (amount * BigInt(Math.floor(500 + 1_000 * random()))) / 1_000n
      : amount
    return { tokenIn: trade.in, tokenOut: trade.out, amountIn }
  })
}

export function toBody({ tokenIn, tokenOut, amountIn }: Question): string {
  return JSON.stringify({
    chain_id: chainId,
    token_in: tokenIn,
    token_out: tokenOut,
    taker,
    amount_in: amountIn.toString(),
    slippage_bps: 50,
  })
}
