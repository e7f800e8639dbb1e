import { zeroAddress } from 'viem'
import { createTableChain, tableOwners, tableProxy } from '../../fixtures/relay/tableChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { arbitrum } from '../chain/arbitrum.ts'
import { openStore } from '../store/openStore.ts'
import { admitAll } from './admission.ts'
import type { DeploySimulation } from './deploySimulator.ts'
import type { RelayLimits } from './limits.ts'
import { createRelayChain } from './relayChain.ts'
import { type RelayDeployDeps, relayDeploy } from './relayDeploy.ts'
import { replaceStuck } from './replaceStuck.ts'

/** With a real book and key, beside a chain that is a table; `lifecycle.fork.test.ts` has real ones. */
const s = suite('relayDeploy')
const [owner, other] = tableOwners
const proxy = tableProxy
const tokenIn = zeroAddress
const windowMs = 120_000

function open({ limits }: { readonly limits?: Partial<RelayLimits> } = {}) {
  const store = openStore({ path: ':memory:' })
  const { world: ofChain, client, signer, simulation } = createTableChain()
  const simulate = async (): Promise<DeploySimulation> => simulation
  const world = Object.assign(ofChain, { admits: admitAll, simulate })
  const told: string[] = []
  const [offered, concluded]: [string[], boolean[]] = [[], []]
  const observe: RelayDeployDeps['observe'] = (event) => {
    if (event.kind === 'answered') told.push(`${event.step} ${event.code}`)
    else if (event.kind === 'signed')
      told.push(`signed ${event.nonce}${event.isReplacement ? ' again' : ''}`)
    else told.push(event.kind)
  }
  const chain = createRelayChain(
    { store: store.relay, now: () => world.nowMs, observe },
    { client, signer, limits },
  )
  const deps: RelayDeployDeps = {
    store: store.relay,
    simulator: { simulateDeploy: () => world.simulate() },
    chain,
    desk: {
      isChosen: () => true,
      offer: async ({ hash }) => void offered.push(hash),
      close: async () => undefined,
    },
    observe,
    admit: async () => ({
      ...world.admits,
      conclude: async (isNew) => void concluded.push(isNew),
    }),
  }
  const ask = (of = owner) => relayDeploy(deps, { owner: of, tokenIn, amountIn: 9n })
  const rows = () => store.relay.listOpen(arbitrum.chainId)
  async function replace() {
    const [first] = await rows()
    if (!first) throw new Error('nothing was deployed')
    const broadcaster = { send: async ({ hash }: { hash: string }) => void offered.push(hash) }
    return replaceStuck({ ...deps, broadcaster } as never, first)
  }
  return { store, world, simulation, chain, told, offered, concluded, ask, rows, replace }
}

s('signs a deployment, keeps it, offers it and says all that [teeth/deploy]', async () => {
  const { ask, told, offered, concluded, rows } = open()
  const answer = await ask()
  const [row] = await rows()
  const hash = row?.attempts[0].hash ?? '0x'
  assert.equal(answer, { status: 'deployed', txHash: hash, proxy })
  assert.equal([row?.nonce, row?.owner, row?.proxy, offered], [5, owner, proxy, [hash]])
  assert.equal(told, ['signed 5', 'undefined deployed'])
  assert.equal(concluded, [true])
})
s('answers with what is in its window, and signs nothing more [teeth/deploy]', async () => {
  const { world, ask, told, offered, concluded, rows } = open()
  await ask()
  world.nowMs += windowMs - 1
  const answer = await ask()
  const [row] = await rows()
  assert.equal(answer, { status: 'pending', txHash: row?.attempts[0].hash, proxy })
  assert.equal(told.slice(2), ['8 pending'])
  assert.equal([offered.length, concluded], [1, [true, false]])
  await ask(other)
  assert.equal(
    (await rows()).map(({ nonce }) => nonce),
    [5, 6],
  )
})
s(
  'replaces what is stuck, at its nonce, for its proxy and higher fees [teeth/deploy]',
  async () => {
    const { world, ask, told, offered, concluded, rows } = open()
    await ask()
    // Who replaces is not asked by what operators ask beside the gates.
    world.admits = {
      ...admitAll,
      judge: () => {
        throw new Error('operators are asked')
      },
    }
    world.nowMs += windowMs
    const answer = await ask()
    const [row, ...more] = await rows()
    const [first, second] = row?.attempts ?? []
    assert.equal([answer.status, 'txHash' in answer && answer.txHash], ['deployed', second?.hash])
    assert.equal([more, offered], [[], [first?.hash, second?.hash]])
    assert.equal(told.slice(2), ['signed 5 again', 'undefined deployed'])
    assert.equal(concluded, [true, false])
    assert.ok(first && second && second.maxFeePerGasWei * 8n >= first.maxFeePerGasWei * 9n)
  },
)
s('takes nothing where operators refuse a new one [teeth/deploy]', async () => {
  const { world, ask, told, offered, rows } = open()
  const spent: bigint[] = []
  const answer = { status: 'refused', httpStatus: 429, code: 'no', sentence: 'no' } as const
  world.admits = {
    ...admitAll,
    judge: ({ spendWei }) => {
      spent.push(spendWei)
      return { step: 12, answer }
    },
  }
  assert.equal(await ask(), answer)
  // What it would cost at worst: a tenth more gas, two blocks of base fee.
  assert.equal(spent, [110_000n * 2_000n])
  assert.equal([told, offered, await rows()], [['12 no'], [], []])
})
s('says that chain or database are away, and signs nothing [teeth/deploy]', async () => {
  const { store, world, ask, told, offered } = open()
  world.isDown = true
  assert.equal(await ask(), { status: 'unreachable' })
  world.isDown = false
  store.close()
  assert.equal(await ask(), { status: 'unavailable' })
  assert.equal([told, offered], [['chain_unreachable', 'store_failed'], []])
})
s('answers by the first gate that a simulation does not pass, or that there is none', async () => {
  const { world, simulation, ask, told, offered } = open()
  world.simulate = async () => ({ ...simulation, existingProxy: proxy, nativeBalance: 0n })
  assert.equal(await ask(), { status: 'existing', proxy })
  world.simulate = async () => Promise.reject(new Error('away'))
  assert.equal(await ask(), { status: 'unreachable' })
  assert.equal([told, offered], [['1 existing', 'chain_unreachable'], []])
})
s('says that the database is away once its caps were told, too', async () => {
  const { store, ask, told, offered } = open()
  await ask()
  store.close()
  assert.equal(await ask(other), { status: 'unavailable' })
  assert.equal([told.slice(2), offered.length], [['store_failed'], 1])
})
s('a pass replaces what holds up the rest, and says so [teeth/replace]', async () => {
  const { world, ask, told, offered, rows, replace } = open()
  await ask()
  world.nowMs += windowMs - 1
  assert.is(await replace(), false)
  assert.equal([told.length, offered.length], [2, 1])
  world.nowMs += 1
  assert.is(await replace(), true)
  const [row] = await rows()
  assert.equal([row?.nonce, offered[1]], [5, row?.attempts[1]?.hash])
  assert.equal(told.slice(2), ['signed 5 again'])
  // It has a window of its own from then on.
  assert.is(await replace(), false)
})
s(
  'a pass leaves the old bytes in play where a gate stands in the way [teeth/replace]',
  async () => {
    const { world, ask, told, offered, rows, replace } = open({
      // Twice the first one's worst case.
      limits: { maxRelayFeeWei: 110_000n * 4_000n },
    })
    await ask()
    world.nowMs += windowMs
    world.baseFeeWei *= 5n
    assert.is(await replace(), false)
    assert.equal(told.slice(2), ['replacement_blocked'])
    assert.equal([offered.length, (await rows())[0]?.attempts.length], [1, 1])
  },
)
s('knows what time it is in the book by what it has booked last [teeth/deploy]', async () => {
  const { store, world, chain, ask, replace } = open()
  const { chainId } = arbitrum
  const bookMs = world.nowMs
  const setBook = (laterMs: number) => store.relay.resetClock({ chainId, nowMs: bookMs + laterMs })
  await setBook(0)
  await ask()
  // By another gateway, whose clock is ahead of ours.
  await setBook(60_000)
  await ask(other)
  assert.is(chain.clock.now(), bookMs + 60_000)
  await setBook(windowMs)
  assert.is(await replace(), true)
  assert.is(chain.clock.now(), bookMs + windowMs)
})
s.run()
