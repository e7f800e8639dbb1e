import type { WorldChain } from '../../../fixtures/world.ts'
import { listQuestions } from '../costs/questions.ts'
import type { Stack } from './measureRps.ts'

/** Questions of several pairs and sizes, those of them that have a route. */
export async function createQuoteBodies(
  { chainId, manifest }: WorldChain,
  { gateways, keys }: Stack,
): Promise<readonly string[]> {
  const asked = listQuestions(chainId, manifest.tokens).map((each) => JSON.stringify(each))
  const [url, key] = [gateways[0]?.url ?? '', keys[0] ?? '']
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const answers = await Promise.all(
    asked.map(async (body) => (await fetch(url, { method: 'POST', headers, body })).status),
  )
  return asked.filter((_, index) => answers[index] === 200)
}
