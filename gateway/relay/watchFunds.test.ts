import { numberToHex, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { defaultLimits as limits } from './limits.ts'
import { createFundsWatch } from './watchFunds.ts'

const s = suite('watchFunds')
const { minRelayerBalanceWei, maxRelayFeeWei } = limits

function open() {
  const world = { nowMs: 0, balanceWei: 10n ** 18n }
  const told: string[] = []
  const asked: object[] = []
  const deps = {
    now: () => world.nowMs,
    store: {
      totals: async (request: object) => {
        asked.push(request)
        return { deploys: 3, spendWei: 7n, open: 2 }
      },
    },
    observe: (event: { readonly kind: string; readonly deploysLeft?: number }) =>
      void told.push(event.kind === 'funds' ? 'funds' : `${event.kind} ${event.deploysLeft}`),
  }
  const client = { request: async () => numberToHex(world.balanceWei) }
  const chain = {
    chainId: 1,
    client: { client },
    signer: { address: zeroAddress },
    limits,
    clock: { now: () => 77 },
  }
  // Of the store and the chain only what is watched.
  const watch = createFundsWatch(deps as never, chain as never)
  return { world, told, asked, watch }
}

s('reads every half minute, and the hour by the clock of the book [teeth/funds]', async () => {
  const { world, told, asked, watch } = open()
  const heard: number[] = []
  for (world.nowMs of [0, 29_999, 30_000, 59_999, 60_000]) {
    await watch()
    heard.push(told.length)
  }
  assert.equal(heard, [1, 1, 2, 2, 3])
  assert.equal(asked[0], { chainId: 1, nowMs: 77, windowMs: 3_600_000 })
})
s('warns while fewer than 25 deployments can be paid at the ceiling [teeth/funds]', async () => {
  const { world, told, watch } = open()
  for (const [balanceWei, warns] of [
    [minRelayerBalanceWei + 25n * maxRelayFeeWei, []],
    [minRelayerBalanceWei + 25n * maxRelayFeeWei - 1n, ['low_balance 24']],
    [minRelayerBalanceWei, ['low_balance 0']],
    [minRelayerBalanceWei - 1n, ['low_balance 0']],
    [0n, ['low_balance 0']],
  ] as const) {
    told.length = 0
    Object.assign(world, { balanceWei, nowMs: world.nowMs + 30_000 })
    await watch()
    assert.equal(told, ['funds', ...warns])
  }
})
s.run()
