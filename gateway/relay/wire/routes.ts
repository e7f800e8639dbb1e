import { zeroAddress } from 'viem'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { HttpError, httpError } from '../../http/httpError.ts'
import type { AdmissionRules, Asker } from '../admission.ts'
import type { Refusal } from '../gates.ts'
import type { ChainIntent } from '../readIntents.ts'
import type { RelayAnswer } from '../relayDeploy.ts'
import * as examples from './examples.ts'
import { healthResponse } from './health.ts'
import { fromIntent, intentsQuery, intentsResponse } from './intents.ts'
import { fromAnswer, proxyBody, proxyResponse, toRelayRequest } from './proxy.ts'

export type RelayRoutesDeps = {
  readonly chainIds: readonly number[]
  readonly deploy: (
    chainId: number,
    request: ReturnType<typeof toRelayRequest> & { readonly asker: Asker },
  ) => Promise<RelayAnswer>
  readonly readIntents: (chainId?: number) => Promise<readonly ChainIntent[]>
  /** Whether the owner's signature is looked at. Default: it is not. */
  readonly ownerSignature?: AdmissionRules['ownerSignature'] | undefined
  readonly readHealth: () => Promise<'ok' | 'degraded' | 'error'>
  readonly version: string
}

/** The relay service. */
export function relayEndpoints(deps: RelayRoutesDeps): readonly Endpoint[] {
  const startedAt = performance.now()
  return [
    endpoint({
      method: 'post',
      path: '/api/proxy',
      summary: "Sponsor the deployment of an owner's proxy",
      description:
        "Ten gates, in order; the first that does not pass answers. The fee ceiling's fee is gas times the price of now plus the chain's L1 data fee, and its gas is what would be signed: on Arbitrum One the node's estimate, which holds the data fee as gas.",
      input: proxyBody(deps.chainIds),
      output: proxyResponse,
      examples: examples.proxyRequest,
      auth: 'none',
      errors: {
        429: 'the hourly deploy limit or spend budget of the chain is used up',
        502: 'the chain could not be reached; nothing was broadcast',
        503: 'the fee ceiling is exceeded, or the relay is not funded or paused',
      },
      async handle({ body, ip }) {
        const request = toRelayRequest(body)
        if (request.owner === zeroAddress)
          throw httpError('invalidRequest', 'owner must not be the zero address')
        const asker = { ip, signature: body.ownerSignature, deadline: body.deadline }
        const answer = await deps.deploy(body.chainId, { ...request, asker })
        if (answer.status === 'unreachable') throw httpError('chainUnreachable')
        if (answer.status === 'unavailable')
          throw httpError('unavailable', undefined, { headers: { 'retry-after': '1' } })
        if (answer.status === 'refused') throw refusalError(answer)
        return fromAnswer(answer)
      },
    }),
    endpoint({
      method: 'get',
      path: '/api/intents',
      summary: 'Whether the relay can serve each chain, or one chain with ?chainId=',
      query: intentsQuery(deps.chainIds),
      output: intentsResponse,
      examples: examples.intents,
      auth: 'none',
      async handle({ query }) {
        const read = (await deps.readIntents(query.chainId)).map((intent) =>
          fromIntent(intent, deps.ownerSignature),
        )
        const [only] = read
        return query.chainId !== undefined && only ? only : { chains: read }
      },
    }),
    endpoint({
      method: 'get',
      path: '/health',
      summary: 'Whether the relay reaches its chains',
      output: healthResponse,
      examples: examples.health,
      auth: 'none',
      async handle() {
        const uptimeSecs = Math.floor((performance.now() - startedAt) / 1000)
        return { status: await deps.readHealth(), version: deps.version, uptimeSecs }
      },
    }),
  ]
}

export function refusalError({ httpStatus, code, sentence, retryAfterSecs }: Refusal): HttpError {
  if (retryAfterSecs === undefined) return new HttpError(httpStatus, code, sentence)
  return new HttpError(httpStatus, code, sentence, {
    headers: { 'retry-after': String(retryAfterSecs) },
    ...(httpStatus === 429 && { extra: { retryAfterSec: retryAfterSecs } }),
  })
}
