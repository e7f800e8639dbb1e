import type { ChainRow } from './chain.ts'
import { settingName } from './settingName.ts'

/** A chain's settings where one node takes the place of others: what else is told of those is not of it. */
export function oneNode(
  chain: Pick<ChainRow, 'name'>,
  rpcUrl: string,
): Readonly<Record<string, string>> {
  const others = (['RPC_PRICES', 'WS_URL'] as const).map((suffix) => settingName(chain, suffix))
  return {
    [settingName(chain, 'RPC_URL')]: rpcUrl,
    ...Object.fromEntries(
      others.flatMap((name) => [
        [name, ''],
        [`${name}_FILE`, ''],
      ]),
    ),
  }
}
