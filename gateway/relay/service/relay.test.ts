import { setImmediate as nextTurn } from 'node:timers/promises'
import { zeroAddress } from 'viem'
import { createInject } from '../../../fixtures/inject.ts'
import { createTableChain, tableOwners, tableProxy } from '../../../fixtures/relay/tableChain.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { base } from '../../chain/base.ts'
import { createService } from '../../http/service.ts'
import { type Coordination, createLocalCoordination } from '../../store/coordination.ts'
import { openStore } from '../../store/openStore.ts'
import type { RelayStore } from '../../store/relay.ts'
import type { RelayLimits } from '../limits.ts'
import { createRelay } from './relay.ts'

/** Over two chains that are tables; the tests on forks drive it beside real ones. */
const s = suite('relay service')
const [owner] = tableOwners
const chainId = arbitrum.chainId
const silent = { debug() {}, info() {}, warn() {}, error() {} }

function open({
  limits,
  aheadMs = 0,
  book = {},
  coordination,
  isBypassed = false,
}: {
  readonly limits?: Partial<RelayLimits>
  /** Of the chains' newest blocks. */
  readonly aheadMs?: number
  readonly book?: Partial<RelayStore>
  readonly coordination?: Coordination
  /** Forks do not answer, chains do. */
  readonly isBypassed?: boolean
} = {}) {
  const store = openStore({ path: ':memory:' })
  const chains = [createTableChain(arbitrum), createTableChain(base)]
  const [table = createTableChain(), second = createTableChain()] = chains
  const told: string[] = []
  let simulated = 0
  const relay = createRelay({
    store: { ...store.relay, ...book },
    now: () => table.world.nowMs + aheadMs,
    simulator: {
      async simulateDeploy() {
        simulated += 1
        if (isBypassed) throw new Error('the forks are away')
        return table.simulation
      },
    },
    chains: chains.map(({ client, signer }) => ({ client, signer, limits })),
    coordination,
    observe(event) {
      const byMs = event.kind === 'clock_ahead' ? ` by ${event.aheadMs}` : ''
      told.push(`${event.kind} ${event.chainId}${byMs}`)
    },
  })
  const service = createService({ name: 'relay', endpoints: relay.endpoints, log: silent })
  const inject = createInject(service.app)
  const get = async (path: string) =>
    JSON.parse((await inject({ method: 'GET', path, headers: {} })).text) as Record<string, unknown>
  const readHealth = () => get('/health')
  const health = async () => (await readHealth())['status']
  const ask = async (more: object = {}) => {
    const asked = { chainId, owner, tokenIn: zeroAddress, amountIn: '9', ...more }
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(asked)
    const { status, text } = await inject({ method: 'POST', path: '/api/proxy', headers, body })
    const answer = JSON.parse(text) as { readonly code?: string; readonly txHash?: string }
    return { status, code: answer.code, txHash: answer.txHash }
  }
  const close = async () => {
    await relay.close()
    store.close()
  }
  const opened = { relay, table, second, told, get, health, readHealth, ask, close }
  return { ...opened, simulated: () => simulated }
}

s('is well, degraded or in error by how many chains it reaches [teeth/relay-health]', async () => {
  const { table, second, health, close } = open()
  assert.is(await health(), 'ok')
  table.world.isDown = true
  assert.is(await health(), 'degraded')
  second.world.isDown = true
  assert.is(await health(), 'error')
  await close()
})
s(
  'answers who ask the same at the same time with one deployment [teeth/relay-shared]',
  async () => {
    const { relay, table, told, ask, close, simulated } = open()
    // Nobody asks here who signed what.
    const [one, same] = await Promise.all([ask(), ask({ deadline: 7 })])
    assert.equal([one.status, one.txHash], [200, same.txHash])
    assert.is(simulated(), 1)
    assert.equal(told.filter((one) => one.startsWith('answered')).length, 1)
    await close()
    assert.is(table.sent.length, 1)
    assert.ok(relay)
  },
)
s('asks the chain itself where no fork answers', async () => {
  const { told, ask, close } = open({ isBypassed: true })
  assert.is((await ask()).status, 200)
  assert.ok(told.includes(`simulator_bypassed ${chainId}`), told.join())
  await close()
})
s('tells of all its chains, or of the one that is asked for', async () => {
  const { get, close } = open()
  assert.is(Object((await get('/api/intents'))['chains']).length, 2)
  for (const id of [chainId, base.chainId])
    assert.is((await get(`/api/intents?chainId=${id}`))['chainId'], id)
  await close()
})
s('an operator pauses a chain, and reads why and what was signed [teeth/relay-pause]', async () => {
  const { relay, ask, close } = open()
  await relay.pause({ chainId, reason: 'to look' })
  assert.equal(await ask(), { status: 503, code: 'relay_paused', txHash: undefined })
  assert.equal(await relay.history({}), [])
  await relay.resume(chainId)
  const { status, txHash } = await ask()
  assert.is(status, 200)
  const [row, ...more] = await relay.history({ chainId })
  assert.equal([row?.attempts[0].hash, row?.proxy, more], [txHash, tableProxy, []])
  assert.equal(await relay.history({ chainId: base.chainId }), [])
  await close()
})
s('a pass sends again, watches the funds and tells what fails [teeth/relay-pass]', async () => {
  const { relay, table, second, told, ask, close } = open()
  await ask()
  table.world.nowMs += 15_000
  second.world.isDown = true
  told.length = 0
  await relay.reconcile()
  assert.is(table.sent.length, 2)
  assert.is(table.sent[0], table.sent[1])
  assert.ok(told.includes(`funds ${chainId}`), told.join())
  assert.ok(told.includes(`reconcile_failed ${base.chainId}`), told.join())
  await close()
})
s(
  'tells of each gate what it is decided on, and signs nothing [teeth/relay-examined]',
  async () => {
    const { relay, close } = open()
    const asked = { owner, tokenIn: zeroAddress, amountIn: 9n }
    const gates = (await relay.examine(chainId, asked)) ?? []
    const numbers = gates.map(({ step, numbers }) => [step, ...numbers.map(({ value }) => value)])
    assert.ok(gates.every(({ passes }) => passes))
    assert.equal(numbers, [
      [1, 'none'],
      [2, '9', '9'],
      [3, String(10n ** 18n)],
      [4, '100000'],
      [5, '100000', '200000'],
      [6, '100000000', '200000000000000', '110000'],
      [7, String(10n ** 18n), '1000000000000000'],
      [8, 'nothing'],
      [9, '0', '60'],
      [10, '0', '220000000', '20000000000000000'],
    ])
    const refused = (await relay.examine(chainId, { ...asked, amountIn: 10n })) ?? []
    const failing = refused.filter(({ passes }) => !passes)
    assert.equal(
      failing.map(({ step }) => step),
      [2],
    )
    assert.match(failing[0]?.sentence ?? '', /balance/)
    assert.equal(await relay.history({}), [])
    assert.is(await relay.examine(1, asked), undefined)
    await close()
  },
)
s(
  'tries to replace what is stuck every 15 s, where a gate is in the way [teeth/relay-stuck]',
  async () => {
    const { relay, table, told, ask, close } = open({ limits: { maxRelayFeeWei: 440_000_000n } })
    await ask()
    table.world.nowMs += 120_000
    table.world.baseFeeWei *= 5n
    const tries: number[] = []
    for (const laterMs of [0, 14_999, 1, 14_999, 1]) {
      table.world.nowMs += laterMs
      await relay.reconcile()
      tries.push(told.filter((one) => one.startsWith('replacement_blocked')).length)
    }
    assert.equal(tries, [1, 1, 2, 2, 3])
    await close()
  },
)
s('a pass sends what replaces a stuck one, and that alone [teeth/relay-stuck]', async () => {
  const { relay, table, ask, close } = open()
  await ask()
  table.world.nowMs += 120_000
  await relay.reconcile()
  const [row] = await relay.history({ chainId })
  assert.equal(
    table.sent,
    row?.attempts.map(({ raw }) => raw),
  )
  assert.is(table.sent.length, 2)
  await close()
})
s('a pass tells the caps, and reads the time of the chain [teeth/relay-pass]', async () => {
  const capsOf: number[] = []
  const book: Partial<RelayStore> = {
    async tellCaps({ chainId, maxPerHour, maxSpendPerHourWei }) {
      capsOf.push(chainId)
      return { maxPerHour, maxSpendPerHourWei }
    },
    readClock: async () => 1_000,
  }
  const { relay, told, close } = open({ book, aheadMs: 3_600_000 })
  await relay.reconcile()
  assert.equal(capsOf, [chainId, base.chainId])
  // Of the hour, two minutes are let pass.
  for (const one of capsOf)
    assert.ok(told.includes(`clock_ahead ${one} by ${3_600_000 - 120_000}`), told.join())
  await close()
})
s('lists fifty, and names itself 0, where nothing else is said', async () => {
  const asked: object[] = []
  const book: Partial<RelayStore> = {
    async listLatest(request) {
      asked.push(request)
      return []
    },
  }
  const { relay, readHealth, close } = open({ book })
  await relay.history({})
  await relay.history({ chainId, limit: 3 })
  assert.equal(asked, [
    { chainId: undefined, limit: 50 },
    { chainId, limit: 3 },
  ])
  assert.is((await readHealth())['version'], '0')
  await close()
})
s('leaves its place once what it sends has arrived, not before [teeth/relay-closed]', async () => {
  const local = createLocalCoordination()
  const left: number[] = []
  const coordination: Coordination = {
    ...local,
    elect(candidate) {
      const leadership = local.elect(candidate)
      return {
        ...leadership,
        async close() {
          left.push(table.sent.length)
          await leadership.close()
        },
      }
    },
  }
  const { table, told, ask, close } = open({ coordination })
  const { promise, resolve } = Promise.withResolvers<void>()
  table.world.sending = promise
  const asking = ask()
  while (!told.includes(`signed ${chainId}`)) await nextTurn()
  const closing = close()
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.equal(left, [])
  resolve()
  await Promise.all([asking, closing])
  assert.equal(left, [1, 1])
})
s('asks nothing of a chain once it is closed [teeth/relay-closed]', async () => {
  const { relay, table, close } = open()
  relay.start()
  await close()
  const { asked } = table.world
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.ok(asked > 0)
  assert.is(table.world.asked, asked)
})
s.run()
