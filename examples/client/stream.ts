import { createClient, ForkyardError, readManifest } from 'forkyard/client'
import { formatUnits } from 'viem'

/** Quotes of all sources as they come: what a wallet shows while somebody decides. */
const manifest = await readManifest(process.env['LAB_URL'])
const { tokens, accounts } = manifest.chains[8453]
const { meta } = createClient(manifest)
const human = (raw: string) => `${formatUnits(BigInt(raw), tokens.USDC.decimals)} USDC`
try {
  const order = {
    chainId: 8453,
    tokenIn: tokens.WETH.address,
    tokenOut: tokens.USDC.address,
    amountIn: String(10n ** 18n),
    taker: accounts[0].address,
    dryRun: true,
  }
  for await (const { event, data } of meta.stream(order, { signal: AbortSignal.timeout(30_000) })) {
    if (event === 'initial' && data.best)
      process.stdout.write(`best: ${human(data.best.amountOut)} of ${data.best.provider}\n`)
    if (event === 'quote')
      process.stdout.write(`late: ${human(data.quote.amountOut)} of ${data.quote.provider}\n`)
  }
} catch (error) {
  if (!(error instanceof ForkyardError)) throw error
  process.stderr.write(`${error.code}: ${error.message} (request ${error.requestId})\n`)
  process.exitCode = 1
}
