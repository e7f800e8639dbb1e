import pc from 'picocolors'
import { getChain } from '../chain/chains.ts'
import { toTable } from '../observe/printTable.ts'
import type { LabManifest } from './manifest.ts'

/** Three requests that work when pasted: a quote, a meta quote with dry run, a sponsored proxy. */
function curlLines({ services, apiKey, chains }: LabManifest): readonly string[] {
  const [chainId = '', chain] = Object.entries(chains)[0] ?? []
  const weth = chain?.tokens['WETH']?.address
  const usdc = chain?.tokens['USDC']?.address
  const owner = chain?.accounts[0]?.address
  const post = (url: string, body: object, header = '') =>
    `curl -s ${url} -H 'content-type: application/json'${header} -d '${JSON.stringify(body)}'`
  return [
    post(
      `${services.routing}/quote`,
      {
        chain_id: Number(chainId),
        token_in: weth,
        token_out: usdc,
        amount_in: '1000000000000000000',
        taker: owner,
      },
      ` -H 'x-api-key: ${apiKey}'`,
    ),
    post(`${services.meta}/quote`, {
      chainId: Number(chainId),
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: '1000000000000000000',
      taker: owner,
      slippageBps: 50,
      dryRun: true,
    }),
    post(`${services.relay}/api/proxy`, {
      chainId: Number(chainId),
      owner,
      tokenIn: usdc,
      amountIn: '1000000',
    }),
  ]
}

/** What the lab prints when it is ready. */
export function banner(
  manifest: LabManifest,
  {
    readyMs,
    firstQuoteMs,
  }: { readonly readyMs: number; readonly firstQuoteMs?: number | undefined },
) {
  const { services, chains } = manifest
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const firstQuote =
    firstQuoteMs === undefined ? '' : `, first quote answered after ${seconds(firstQuoteMs)}`
  const chainRows = Object.entries(chains).map(([id, chain]) => [
    `${getChain(Number(id))?.displayName ?? 'chain'} ${id}`,
    chain.rpcUrl,
    pc.dim(
      `${Object.keys(chain.tokens).length} tokens, ${chain.dexes.reduce((sum, dex) => sum + dex.pools, 0)} pools`,
    ),
  ])
  const accounts = Object.values(chains)[0]?.accounts ?? []
  return [
    '',
    pc.bold(
      `Forkyard lab ${manifest.version} (${manifest.mode}) is ready: ${seconds(readyMs)}${firstQuote}`,
    ),
    '',
    toTable({
      rows: [
        ['routing', services.routing, pc.dim('quotes, compare, quota')],
        ['meta', services.meta, pc.dim('quotes of several sources, simulated and ranked')],
        ['relay', services.relay, pc.dim('sponsored proxy deployments')],
        ['ops', services.ops, pc.dim('metrics, readiness, /lab/manifest')],
        ...chainRows,
        ['API key', manifest.apiKey, pc.dim('100000 quotes')],
      ],
    }),
    '',
    pc.bold('Accounts') + pc.dim('  the same on every chain; each holds ETH and every token'),
    toTable({
      rows: accounts.map((account, index) => [
        String(index),
        account.address,
        pc.dim(account.privateKey),
      ]),
    }),
    '',
    pc.bold('Try'),
    ...curlLines(manifest).map((line) => `\n${line}`),
    '',
    '',
  ].join('\n')
}
