import { getAddress, type Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { Simulator } from '../../../simulator/simulator.ts'
import { SimulatorUnavailable } from '../../../simulator/simulatorUnavailable.ts'
import { createKey } from '../../access/issueKeys.ts'
import type { ForkyardError } from '../../client/forkyardError.ts'
import { createOps } from '../../client/ops.ts'
import { createService } from '../../http/service.ts'
import { createLog } from '../../observe/log.ts'
import { listPools } from '../../routing/listPools.ts'
import type { RoutingChain } from '../../routing/routingChain.ts'
import { openStore } from '../../store/openStore.ts'
import type { RelayTransaction } from '../../store/relayTransaction.ts'
import { createInspection } from './inspection.ts'

const s = suite('ops/inspect')
const inspection = createInspection()
const log = createLog({ level: 'silent', secrets: [] })
const { endpoints } = inspection
const service = createService({ name: 'ops', endpoints, log, checkOutput: true })
const listening = await service.listen()
s.after(() => listening.close())
const ops = createOps({ url: listening.url })
const refusalOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'none',
    (error: ForkyardError) => `${error.status} ${error.message}`,
  )

const addressOf = (digit: number): Hex => `0x${String(digit).repeat(40)}`
const poolOf = (digit: number, rest: object) => {
  const address = addressOf(digit)
  return { id: address, address, feePips: 3_000, changedBlock: 5n, swapsSeen: digit, ...rest }
}
const [weth, usdc, dai] = [addressOf(7), addressOf(8), addressOf(9)]
const pools = [
  poolOf(1, { dex: 'solar', protocol: 'uniswap_v2', tokens: [weth, usdc] }),
  poolOf(2, { dex: 'lunar', protocol: 'woofi', tokens: [weth, usdc] }),
  poolOf(3, { dex: 'solar', protocol: 'uniswap_v2', tokens: [weth, dai] }),
]
const names = { [weth]: 'WETH', [usdc]: 'USDC' }
// What the list reads of a chain, and no more.
const chain = {
  sync: {
    current: () => ({ head: { number: 9n }, pools: new Map(pools.map((one) => [one.id, one])) }),
    tokens: () => new Map(Object.entries(names).map(([id, symbol]) => [id, { symbol }])),
    leftOutPools: () => [{ dex: 'solar', pool: addressOf(4), reason: 'its views fail' }],
  },
  probes: { verdictOf: (id: string) => (id === addressOf(1) ? 'works' : undefined) },
} as unknown as RoutingChain

const hashOf = (digit: number): Hex => `0x${String(digit).repeat(64)}`
const attempt = { raw: '0x', gasLimit: 80_000n, maxPriorityFeePerGasWei: 1n } as const
const sponsored: RelayTransaction = {
  id: 1,
  chainId: 8453,
  owner: getAddress(weth),
  signer: getAddress(usdc),
  proxy: getAddress(dai),
  nonce: 3,
  status: 'mined',
  createdAtMs: 5,
  markedAtMs: 6,
  reservedWei: 10n ** 18n,
  actualWei: 7n,
  blockNumber: 9n,
  blockHash: hashOf(1),
  minedHash: hashOf(3),
  attempts: [
    { ...attempt, hash: hashOf(2), maxFeePerGasWei: 100n },
    { ...attempt, hash: hashOf(3), maxFeePerGasWei: 113n },
  ],
}

const traceCandidate: Simulator['traceCandidate'] = async ({ chainId, candidate }) => {
  if (chainId !== 8453) throw new SimulatorUnavailable({ chainId, reason: 'it is not configured' })
  const { target, data } = candidate
  if (data === '0x') return { blockNumber: 9n, trace: { status: 'unavailable', reason: 'why' } }
  const call = { depth: 0, kind: 'call', from: target, to: target, valueWei: 5n, gasUsed: 6n }
  const transfers = [{ token: target, from: target, to: target, amount: 10n ** 30n }]
  const told = {
    ...call,
    selector: data,
    failure: 'so it is',
    isCause: true,
    isUndone: true,
    transfers,
  }
  return { blockNumber: 9n, trace: { status: 'traced', calls: [told], leftOut: 2 } }
}

const store = openStore({ path: ':memory:' })
const { keys, ledger } = store
s.after(() => store.close())
const settled = {
  id: 1,
  chainId: 8453,
  asset: getAddress(usdc),
  payer: getAddress(dai),
  keyId: 'key',
  txHash: hashOf(4),
  signerNonce: 2,
  state: 'failed',
  createdAtMs: 3,
} as const
const readQuota = async () => ({ credited: 9, used: 4 })
const { readSums } = store.receipts
const listSettlements = async () => [{ ...settled, reason: 'why' }]

const fault = { check: 'balance', row: 'key', found: '7, its ledger 5' }
const verdict = { atMs: 5, tookMs: 2, found: 1, faults: [fault] }

s('says that the gateway is starting until its parts are there', async () => {
  assert.is(await refusalOf(ops.pools({ chainId: 8453 })), '503 the gateway is starting')
  inspection.opens({
    routing: { pools: (id, p) => (id === 8453 ? listPools(chain, p) : undefined) },
    store: {
      keys,
      ledger,
      receipts: { listPayments: async () => [], listSettlements, readQuota, readSums },
    },
    relay: { examine: async () => undefined, history: async () => [sponsored] },
    audits: { state: () => ({ last: verdict, failedAtMs: 9 }), run: async () => undefined },
    simulator: { traceCandidate },
  })
  assert.is(await refusalOf(ops.pools({ chainId: 1 })), '503 no pools of chain 1 are loaded')
})

s('lists the pools with all words, the busiest first, and those left out [ops/pools]', async () => {
  const search = (text: string) => ops.pools({ chainId: 8453, search: text })
  const all = await ops.pools({ chainId: 8453, limit: 2 })
  assert.equal([all.block, all.total, all.found, all.pools.length], [9, 3, 3, 2])
  assert.equal(all.leftOut, [{ dex: 'solar', pool: addressOf(4), reason: 'its views fail' }])
  const { found, pools: both, leftOut } = await search('USDC weth')
  assert.equal([found, leftOut], [2, []])
  assert.equal(
    both.map(({ id, pricing, tried, tokens }) => [id, pricing, tried, tokens[0]?.symbol]),
    [
      [addressOf(2), 'quoted', undefined, 'WETH'],
      [addressOf(1), 'local', 'works', 'WETH'],
    ],
  )
  assert.is((await search(dai)).pools[0]?.tokens.length, 2)
  assert.is((await search('solar usdc dai')).found, 0)
})

s('lists what was sponsored with all that was signed, without the bytes [ops/relay]', async () => {
  const [one] = (await ops.relayTransactions({ limit: 1 })).transactions
  assert.equal([one?.reservedWei, one?.actualWei, one?.blockNumber], [`1${'0'.repeat(18)}`, '7', 9])
  assert.equal(one?.attempts, [
    { hash: hashOf(2), maxFeePerGasWei: '100', gasLimit: '80000' },
    { hash: hashOf(3), maxFeePerGasWei: '113', gasLimit: '80000' },
  ])
  const asked = { chainId: 1, owner: weth, tokenIn: usdc, amountIn: '1' }
  assert.is(await refusalOf(ops.relayGates(asked)), '503 no relayer serves chain 1')
})

s('lists keys with their quota and a ledger, and no secret [ops/money]', async () => {
  const config = { keyPrefix: 'fy', pepper: 'a pepper of the tests' }
  const make = (label: string) => createKey({ store, config, now: () => 7 }, { label, quotes: 5 })
  const [one, other] = [await make('solar panel'), await make('lunar')]
  const { keysFound, keys: found, settlements, quota: all } = await ops.money({ search: 'SOLAR' })
  assert.equal([keysFound, all], [1, { credited: 9, used: 4 }])
  const { start = '', ...shown } = found[0] ?? {}
  const quota = { total: 5, used: 0, remaining: 5 }
  assert.equal(shown, { id: one.id, label: 'solar panel', createdAtMs: 7, ...quota })
  assert.ok(start !== '' && one.apiKey.startsWith(start) && start.length < one.apiKey.length)
  assert.equal(settlements, [{ reason: 'why', ...settled }])
  assert.is((await ops.money({ limit: 1 })).keys.length, 1)
  const { entries } = await ops.ledger({ keyId: other.id })
  assert.equal(
    entries.map(({ kind, units, ref }) => [kind, units, ref]),
    [['grant', 5, 'created']],
  )
})

s('tells the verdict on the books, with its age and what it found [ops/audit]', async () => {
  const told = { last: verdict, failedAtMs: 9 }
  assert.equal([await ops.lastAudit(), await ops.audit()], [told, told])
})

s('tells the calls of a candidate by the functions they name [ops/trace]', async () => {
  const tokens = { inputToken: weth, outputToken: usdc, inputAmount: '1', quotedOutput: '1' }
  const trace = (data: Hex, chainId = 8453) =>
    ops.traceCandidate({
      chainId,
      candidate: { providerId: 'a', target: dai, data, value: '0', ...tokens },
    })
  const { block, leftOut, calls } = await trace('0xa9059cbb')
  assert.equal([block, leftOut], [9, 2])
  const [call] = calls
  assert.equal([call?.function, call?.failure], ['transfer(address,uint256)', 'so it is'])
  assert.equal([call?.value, call?.gasUsed, call?.isCause], ['5', '6', true])
  assert.is(call?.transfers[0]?.amount, `1${'0'.repeat(30)}`)
  assert.is((await trace('0x12345678')).calls[0]?.function, undefined)
  assert.is((await trace('0x')).reason, 'why')
  assert.is(await refusalOf(trace('0x', 1)), '503 chain 1 cannot be simulated just now')
})

s.run()
