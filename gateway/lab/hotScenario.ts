import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labFiles } from './labFiles.ts'
import type { LabManifest } from './manifest.ts'
import { anyPorts } from './ports.ts'
import { startLab } from './supervisor.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What most uses of a lab need: its start, and for every pair of tokens that the lab accounts hold a
 * quote that is dry-run. Whoever records it records the hot set of the chains.
 */
export async function runHotScenario({
  env,
  print,
}: {
  readonly env: Environment
  readonly print: (text: string) => void
}): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'forkyard-hot-'))
  const whole = { ...env, ...anyPorts, FORKYARD_LAB_DIR: join(parent, 'lab') }
  const files = labFiles(whole)
  process.env['FORKYARD_LAB'] = files.dir
  try {
    const lab = await startLab({ files, env: whole, print: () => undefined })
    try {
      // Written by the lab that has just started.
      await quoteAll(JSON.parse(readFileSync(files.manifest, 'utf8')) as LabManifest, print)
    } finally {
      await lab.close()
    }
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

async function quoteAll({ chains, services, apiKey }: LabManifest, print: (text: string) => void) {
  for (const [chainId, { tokens, accounts }] of Object.entries(chains)) {
    const names = Object.keys(tokens)
    let quoted = 0
    for (const from of names)
      for (const to of names) {
        const [tokenIn, tokenOut] = [tokens[from], tokens[to]]
        if (!tokenIn || !tokenOut || from === to) continue
        const response = await fetch(`${services.routing}/quote`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify({
            chain_id: Number(chainId),
            token_in: tokenIn.address,
            token_out: tokenOut.address,
            amount_in: String(10n ** BigInt(tokenIn.decimals)),
            taker: accounts[0]?.address,
            verify: true,
          }),
        })
        await response.body?.cancel()
        // Some pairs have no route: that, too, is then known.
        if (response.ok) quoted += 1
      }
    print(`chain ${chainId}: ${quoted} pairs of ${names.length} tokens quoted and dry-run\n`)
  }
}
