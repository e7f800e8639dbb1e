import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import type { LabManifest } from '../../manifest.ts'
import { killContainer, labPortNames, startStack } from './stack.ts'
import type { StruckStack } from './stackFaults.ts'

/** Run inside its gateway, with its store open. */
const inGateway = (work: string) => `
const dir = process.env.FORKYARD_LAB_DIR
const { openStore } = await import('/forkyard/gateway/store/openStore.ts')
const store = openStore({ path: dir + '/forkyard.sqlite' })
${work}
await store.close()`
/** Keys whose balance is not the sum of their ledger. */
const auditProgram = inGateway('console.log(JSON.stringify(await store.ledger.audit()))')
const keyProgram = (quotes: number) =>
  inGateway(`
const { readFileSync } = await import('node:fs')
const { createKey } = await import('/forkyard/gateway/access/issueKeys.ts')
const { keyPrefixOf } = await import('/forkyard/gateway/config/keyPrefix.ts')
const config = { keyPrefix: keyPrefixOf('offline'), pepper: readFileSync(dir + '/pepper', 'utf8') }
const deps = { store, config, now: Date.now }
console.log((await createKey(deps, { label: 'test', quotes: ${quotes} })).apiKey)`)

/** The lab of docker/compose.yaml, asked at its published ports, and struck as other stacks are. */
export async function startLabStack({
  overrides,
}: {
  readonly overrides: readonly string[]
}): Promise<StruckStack> {
  const stack = await startStack({ file: 'compose.yaml', portNames: labPortNames, overrides })
  const urlOf = (service: string) =>
    `http://127.0.0.1:${stack.ports[`${service.toUpperCase()}_PORT`]}`
  const ops = urlOf('ops')
  const run = (program: string) =>
    stack.compose('exec', '-T', 'gateway', 'node', '--input-type=module', '-e', program)
  const isServing = () =>
    fetch(`${ops}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor('the lab is ready', isServing, { deadlineMs: 180_000, everyMs: 250 })
  const manifest = (await (await fetch(`${ops}/lab/manifest`)).json()) as LabManifest
  const tokens = manifest.chains[8453]?.tokens
  const quoteBody = {
    chain_id: 8453,
    token_in: tokens?.['WETH']?.address,
    token_out: tokens?.['USDC']?.address,
    amount_in: '1000000000000000',
  }
  const ask: StruckStack['ask'] = async (
    service,
    path,
    { body, withKey = false, key = manifest.apiKey, timeoutMs = 20_000 } = {},
  ) => {
    const response = await fetch(`${urlOf(service)}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(withKey && { 'x-api-key': key }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return {
      status: response.status,
      body: (await response.json()) as Readonly<Record<string, unknown>>,
    }
  }
  return {
    ...stack,
    forksName: '',
    isServing,
    ask,
    quote: (by = {}) => ask('routing', '/quote', { body: quoteBody, withKey: true, ...by }),
    kill: (id) => killContainer(stack.docker, id),
    createKey: async (quotes) => (await run(keyProgram(quotes))).trim(),
    async readUsed() {
      const { status, body } = await ask('routing', '/auth/key-info', { withKey: true })
      if (status !== 200) throw new Error(`key-info answered ${status}`)
      return Number(body['quota_used'])
    },
    audit: async () => JSON.parse(await run(auditProgram)) as string[],
  }
}
