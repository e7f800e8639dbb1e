type Tokens = Readonly<Record<string, { readonly address: string; readonly decimals: number }>>

export type Question = {
  readonly chain_id: number
  readonly token_in: string
  readonly token_out: string
  readonly taker: string
  readonly amount_in: string
  readonly slippage_bps: number
}

const symbols = ['WETH', 'USDC', 'USDT', 'DAI', 'cbBTC', 'AERO', 'wstETH']
const shares = [3n, 19n]
const taker = '0xBcd4042DE499D14e55001CcbB24a551F3b954096'

/** Bodies of `POST /quote` for each pair of what the offline world has most of, in two sizes. */
export const listQuestions = (chainId: number, known: Tokens): readonly Question[] => {
  const tokens = symbols.flatMap((symbol) => known[symbol] ?? [])
  return tokens.flatMap(({ address: tokenIn, decimals }) =>
    tokens
      .filter(({ address }) => address !== tokenIn)
      .flatMap(({ address: tokenOut }) =>
        shares.map((share) => ({
          chain_id: chainId,
          token_in: tokenIn,
          token_out: tokenOut,
          taker,
          amount_in: ((share * 10n ** BigInt(decimals)) / 100n).toString(),
          slippage_bps: 50,
        })),
      ),
  )
}
