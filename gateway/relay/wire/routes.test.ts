import { pad, zeroAddress } from 'viem'
import { createInject } from '../../../fixtures/inject.ts'
import { tableOwners } from '../../../fixtures/relay/tableChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createService } from '../../http/service.ts'
import type { ChainIntent } from '../readIntents.ts'
import type { RelayAnswer } from '../relayDeploy.ts'
import { type RelayRoutesDeps, refusalError, relayEndpoints } from './routes.ts'

const s = suite('relay/routes')
const [owner] = tableOwners
const log = { debug() {}, info() {}, warn() {}, error() {} }
const toIntent = (chainId: number): ChainIntent => ({
  chainId,
  servable: true,
  factory: owner,
  relayer: owner,
  deploysThisHour: 0,
  maxDeploysPerHour: 60,
  spendThisHourWei: 0n,
  maxSpendPerHourWei: 1n,
  relayerBalanceWei: undefined,
})
const asked: object[] = []
let answer: RelayAnswer = { status: 'existing', proxy: owner }
const chainIds = [1, 2]
const startedAt = performance.now()
const deps: RelayRoutesDeps = {
  chainIds,
  async deploy(chainId, request) {
    asked.push({ chainId, ...request })
    return answer
  },
  readIntents: async (chainId) => chainIds.filter((one) => one === (chainId ?? one)).map(toIntent),
  readHealth: async () => 'degraded',
  version: '7',
}
const open = (more: Partial<RelayRoutesDeps> = {}) => {
  const endpoints = relayEndpoints({ ...deps, ...more })
  return createInject(createService({ name: 'relay', endpoints, log, checkOutput: true }).app)
}
const inject = open()
const get = async (path: string, from = inject) =>
  JSON.parse((await from({ method: 'GET', path, headers: {} })).text) as Record<string, unknown>
async function post(change: object = {}) {
  const body = JSON.stringify({ chainId: 1, owner, tokenIn: owner, amountIn: '1', ...change })
  const headers = { 'content-type': 'application/json' }
  return inject({ method: 'POST', path: '/api/proxy', headers, body })
}

s(
  'answers all chains as a list, and one that was asked for by itself [teeth/relay-wire]',
  async () => {
    const { chains } = (await get('/api/intents')) as { readonly chains: ChainIntent[] }
    assert.equal(
      chains.map(({ chainId }) => chainId),
      [1, 2],
    )
    assert.is((await get('/api/intents?chainId=2'))['chainId'], 2)
  },
)
s('says why a chain is not served, and what its relayer has [teeth/relay-wire]', async () => {
  const full = { ...toIntent(2), servable: false, reason: 'relay_paused', relayerBalanceWei: 7n }
  const read = await get('/api/intents?chainId=2', open({ readIntents: async () => [full] }))
  assert.equal(
    [read['servable'], read['reason'], read['relayerBalanceWei']],
    [false, 'relay_paused', '7'],
  )
  const served = await get('/api/intents?chainId=1')
  assert.equal(
    [served['servable'], served['reason'], served['relayerBalanceWei']],
    [true, undefined, null],
  )
})
s(
  'answers a proxy that is there, or the transaction that makes it [teeth/relay-wire]',
  async () => {
    const bodyOf = async () => JSON.parse((await post()).text) as object
    assert.equal(await bodyOf(), { proxy: owner, existing: true })
    const txHash = pad('0x1')
    answer = { status: 'deployed', txHash, proxy: owner }
    assert.equal(await bodyOf(), { proxy: owner, txHash })
  },
)
s('says that the chain cannot be reached, or the database [teeth/relay-wire]', async () => {
  const before = answer
  const told: unknown[] = []
  for (const status of ['unreachable', 'unavailable'] as const) {
    answer = { status }
    const { status: code, text } = await post()
    told.push([code, Object(JSON.parse(text)).code])
  }
  answer = before
  assert.equal(told, [
    [502, 'chain_unreachable'],
    [503, 'unavailable'],
  ])
})
s('says what an owner signs where that is looked at [teeth/relay-wire]', async () => {
  const path = '/api/intents?chainId=2'
  for (const rule of ['preferred', 'required'] as const)
    assert.equal((await get(path, open({ ownerSignature: rule })))['ownerSignature'], {
      rule,
      longestValidSecs: 3_600,
      typedData: {
        domain: { name: 'Forkyard Relay', version: '1', chainId: 2, verifyingContract: owner },
        types: {
          SponsoredDeploy: [
            { name: 'owner', type: 'address' },
            { name: 'deadline', type: 'uint256' },
          ],
        },
        primaryType: 'SponsoredDeploy',
      },
    })
  assert.is((await get(path, open({ ownerSignature: 'off' })))['ownerSignature'], undefined)
})
s('counts whole seconds from its start [teeth/relay-wire]', async () => {
  const { now } = performance
  performance.now = () => startedAt + 2_000_500
  const health = await get('/health')
  performance.now = now
  assert.equal(health, { status: 'degraded', version: '7', uptimeSecs: 2_000 })
})
s('takes amounts, deadlines and signatures up to their bounds [teeth/relay-wire]', async () => {
  asked.length = 0
  const signature = (bytes: number) => `0x${'ab'.repeat(bytes)}`
  for (const [change, status] of [
    [{ amountIn: 0 }, 200],
    [{ amountIn: -1 }, 400],
    [{ amountIn: Number.MAX_SAFE_INTEGER }, 200],
    [{ deadline: 0 }, 200],
    [{ deadline: -1 }, 400],
    [{ ownerSignature: signature(32_767) }, 200],
    [{ ownerSignature: signature(32_768) }, 400],
    [{ owner: zeroAddress }, 400],
  ] as const)
    assert.is((await post(change)).status, status, JSON.stringify(change).slice(0, 60))
  assert.equal(asked.length, 4)
})
s('says when to come again where a limit of the hour is reached [teeth/relay-wire]', () => {
  const refusal = { status: 'refused', code: 'no', sentence: 'no', retryAfterSecs: 77 } as const
  for (const [httpStatus, extra] of [
    [429, { retryAfterSec: 77 }],
    [503, {}],
  ] as const) {
    const error = refusalError({ ...refusal, httpStatus })
    assert.equal(
      [error.status, error.headers, error.extra],
      [httpStatus, { 'retry-after': '77' }, extra],
    )
  }
})
s.run()
