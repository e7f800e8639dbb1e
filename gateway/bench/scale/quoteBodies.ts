import type { WorldChain } from '../../../fixtures/world.ts'
import type { Stack } from './measureRps.ts'

const symbols = ['WETH', 'USDC', 'USDT', 'DAI', 'cbBTC', 'AERO', 'wstETH']
const shares = [3n, 19n]
const taker = '0xBcd4042DE499D14e55001CcbB24a551F3b954096'

/** Questions of several pairs and sizes, those of them that have a route. */
export async function createQuoteBodies(
  { chainId, manifest }: WorldChain,
  { gateways, keys }: Stack,
): Promise<readonly string[]> {
  const tokens = symbols.flatMap((symbol) => manifest.tokens[symbol] ?? [])
  const asked = tokens.flatMap(({ address: tokenIn, decimals }) =>
    tokens
      .filter(({ address }) => address !== tokenIn)
      .flatMap(({ address: tokenOut }) =>
        shares.map((share) =>
          JSON.stringify({
            chain_id: chainId,
            token_in: tokenIn,
            token_out: tokenOut,
            taker,
            amount_in: ((share * 10n ** BigInt(decimals)) / 100n).toString(),
            slippage_bps: 50,
          }),
        ),
      ),
  )
  const [url, key] = [gateways[0]?.url ?? '', keys[0] ?? '']
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const answers = await Promise.all(
    asked.map(async (body) => (await fetch(url, { method: 'POST', headers, body })).status),
  )
  return asked.filter((_, index) => answers[index] === 200)
}
