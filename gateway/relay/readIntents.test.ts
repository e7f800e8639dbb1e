import { createTableChain, tableOwners, tableProxy } from '../../fixtures/relay/tableChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import type { Chain } from '../chain/chains.ts'
import { openStore } from '../store/openStore.ts'
import type { RelayLimits } from './limits.ts'
import { readIntent } from './readIntents.ts'
import { createRelayChain } from './relayChain.ts'

/** With a real book, beside a chain that is a table. */
const s = suite('readIntents')
const [owner] = tableOwners
const usualWei = 72_000n * 1_000n

function open({ limits, on = base }: { limits?: Partial<RelayLimits>; on?: Chain } = {}) {
  const store = openStore({ path: ':memory:' })
  const { world, client, signer } = createTableChain(on)
  const told: string[] = []
  const observe = ({ kind }: { readonly kind: string }) => void told.push(kind)
  const chain = createRelayChain(
    { store: store.relay, now: () => world.nowMs, observe },
    { client, signer, limits },
  )
  const read = () => readIntent({ store: store.relay, observe }, chain)
  /** A deployment that was signed for a nonce, and reserves a wei. */
  const sign = (chainNonce: number) =>
    store.relay.reserve(
      {
        chainId: on.chainId,
        owner,
        signer: signer.address,
        chainNonce,
        nowMs: world.nowMs,
        windowMs: 3_600_000,
        markerMs: 120_000,
      },
      () => ({
        kind: 'insert',
        proxy: tableProxy,
        signed: {
          attempt: {
            hash: '0x01',
            raw: '0x02',
            gasLimit: 1n,
            maxFeePerGasWei: 1n,
            maxPriorityFeePerGasWei: 1n,
          },
          reservedWei: 1n,
        },
        value: undefined,
      }),
    )
  return { store: store.relay, world, signer, told, read, sign }
}

s('a chain that can be served, with what this hour has cost [teeth/intents]', async () => {
  const { signer, told, read, sign } = open()
  await sign(5)
  assert.equal(await read(), {
    chainId: base.chainId,
    servable: true,
    reason: undefined,
    factory: signer.factory,
    relayer: signer.address,
    deploysThisHour: 1,
    maxDeploysPerHour: 60,
    spendThisHourWei: 1n,
    maxSpendPerHourWei: 2n * 10n ** 16n,
    relayerBalanceWei: 10n ** 18n,
  })
  assert.equal(told, [])
})
s('the fee ceiling is asked for the gas of a usual deployment [teeth/intents]', async () => {
  assert.is((await open({ limits: { maxRelayFeeWei: usualWei } }).read()).reason, undefined)
  const { servable, reason } = await open({ limits: { maxRelayFeeWei: usualWei - 1n } }).read()
  assert.equal([servable, reason], [false, 'fee_ceiling_exceeded'])
})
s('what stands in the way first is told: a gate, a pause, a gap [teeth/intents]', async () => {
  const reasonOf = async ({ read }: ReturnType<typeof open>) => (await read()).reason
  const poor = open({ limits: { minRelayerBalanceWei: 10n ** 18n + 1n, maxDeploysPerHour: 0 } })
  assert.is(await reasonOf(poor), 'relay_not_funded')
  const full = open({ limits: { maxDeploysPerHour: 1 } })
  assert.is(await reasonOf(full), undefined)
  await full.store.pause({ chainId: base.chainId, reason: 'to look', nowMs: 0 })
  assert.is(await reasonOf(full), 'relay_paused')
  await full.sign(5)
  assert.is(await reasonOf(full), 'deploy_cap_reached')
  const behind = open()
  // The chain waits for 5.
  await behind.sign(6)
  assert.is(await reasonOf(behind), 'nonce_gap')
  await behind.store.pause({ chainId: base.chainId, reason: 'to look', nowMs: 0 })
  assert.is(await reasonOf(behind), 'relay_paused')
})
s('a chain that does not answer is not served, and its balance unknown', async () => {
  const { world, told, read } = open()
  world.isDown = true
  const { servable, reason, relayerBalanceWei } = await read()
  assert.equal([servable, reason, relayerBalanceWei], [false, 'chain_unreachable', undefined])
  assert.equal(told, ['chain_unreachable'])
})
s.run()
