import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../../../../fixtures/test.ts'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import type { LabManifest } from '../../manifest.ts'
import { payOnce } from '../../testing/payOnce.ts'

const file = join(import.meta.dirname, '../../../../docker/monitoring/grafana/forkyard.json')

type Panel = {
  readonly title: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}
/** Of our own dashboard. */
export const readPanels = () =>
  (JSON.parse(readFileSync(file, 'utf8')) as { readonly panels: readonly Panel[] }).panels

type Sample = { readonly metric: Record<string, string>; readonly value: [number, string] }
type Rule = { readonly name: string; readonly health: string; readonly state: string }

export const patient = { deadlineMs: 180_000, everyMs: 500 }

/** A Prometheus that scrapes a lab's gateway. */
export function createWatcher(url: string) {
  async function ask<data>(path: string, query?: string): Promise<data> {
    const asked = new URL(path, url)
    if (query) asked.searchParams.set('query', query)
    const answer = (await (await fetch(asked)).json()) as {
      status: string
      error?: string
      data: data
    }
    assert.is(answer.status, 'success', `${query}: ${answer.error}`)
    return answer.data
  }
  const query = async (expr: string) =>
    (await ask<{ result: Sample[] }>('/api/v1/query', expr)).result
  const readRules = async () =>
    (await ask<{ groups: { rules: Rule[] }[] }>('/api/v1/rules')).groups.flatMap(
      ({ rules }) => rules,
    )
  return {
    readRules,
    async waitForScrape() {
      const isUp = async () => {
        const result = await query('up{job="gateway"}')
        return result.length === 1 && result[0]?.value[1] === '1'
      }
      await waitFor('the gateway is scraped', isUp, patient)
    },
    async waitForRules() {
      const areEvaluated = async () => (await readRules()).every(({ health }) => health === 'ok')
      await waitFor('all rules are evaluated', areEvaluated, patient)
    },
    /** Quota that is bought once, and quotes and deployments for as long as a panel has no figures. */
    async fillPanels(manifest: LabManifest) {
      await payOnce(manifest)
      for (const { title, targets } of readPanels())
        for (const { expr } of targets) {
          const hasFigures = async () => {
            await askAround(manifest)
            return (await query(expr)).some(({ value }) => Number.isFinite(Number(value[1])))
          }
          await waitFor(`${title}, ${expr}: figures`, hasFigures, patient)
        }
    },
  }
}

/** One request of each kind; that of the chain that nobody has is refused. */
async function askAround({ services, apiKey, chains }: LabManifest): Promise<void> {
  const [weth, usdc] = ['WETH', 'USDC'].map((name) => chains['8453']?.tokens[name]?.address)
  const owner = chains['8453']?.accounts[3]?.address
  const amount = '1000000000000000'
  const post = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    }).then((response) => response.arrayBuffer())
  const sold = { token_in: weth, token_out: usdc, amount_in: amount }
  const meant = { chainId: 8453, tokenIn: weth }
  await Promise.all([
    ...[8453, 1].map((chain) => post(`${services.routing}/quote`, { chain_id: chain, ...sold })),
    post(`${services.meta}/quote`, { ...meant, tokenOut: usdc, amountIn: amount, taker: owner }),
    post(`${services.relay}/api/proxy`, { ...meant, owner, amountIn: amount }),
  ])
}
