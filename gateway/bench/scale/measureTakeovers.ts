import type { Address, Hex } from 'viem'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../../fixtures/chains/send.ts'
import type { startTrading } from '../../../fixtures/chains/tradeWorld.ts'
import { askUntilAnswered, startFleet } from '../../../fixtures/relay/relayFleet.ts'
import { findRoles } from '../../../fixtures/relay/relayRoles.ts'
import { ownerAt, prepareOwners } from '../../../fixtures/relay/relayStand.ts'
import { type SyncFleet, startSyncFleet } from '../../../fixtures/sync/syncFleet.ts'
import type { WorldChain } from '../../../fixtures/world.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'

type Trading = Awaited<ReturnType<typeof startTrading>>
type Setup = {
  readonly chain: WorldChain
  readonly database: string
  readonly count: number
}

/** Milliseconds of each try. */
export type TakeoverTimes = {
  /** Nobody dies. */
  readonly usual: readonly number[]
  readonly killed: readonly number[]
  readonly hung: readonly number[]
}

const often = { deadlineMs: 60_000, everyMs: 5 }

/**
 * From a trade's block until a gateway that does not read the chain itself quotes at it: as it is, and
 * when the reader is killed or stopped right before the trade.
 */
export async function measureSyncTakeover({
  chain,
  database,
  trading,
  count,
}: Setup & { readonly trading: Trading }): Promise<TakeoverTimes> {
  const { chainId, manifest, rpcUrl } = chain
  const rpc = createRpc(rpcUrl)
  const fleet = await startSyncFleet({ database, rpcUrl, chain: { chainId, manifest } }, 3)
  const readHead = async () => Number(await rpc('eth_blockNumber'))
  const settle = async () => fleet.agree('all', { size: 3, block: await readHead() })
  const times = { usual: [] as number[], killed: [] as number[], hung: [] as number[] }
  try {
    for (let index = 0; index < count; index += 1) {
      const { followers } = await settle()
      await trading.tradeV3(10n ** 17n)
      const startedAt = performance.now()
      times.usual.push(
        await untilServed({ fleet, pids: followers, block: await readHead(), startedAt }),
      )
      await settle()
      times.killed.push(await loseReader('SIGKILL'))
      await fleet.start()
    }
    for (let index = 0; index < Math.ceil(count / 3); index += 1) {
      await settle()
      times.hung.push(await loseReader('SIGSTOP'))
    }
  } finally {
    await fleet.close()
  }

  async function loseReader(signal: 'SIGKILL' | 'SIGSTOP'): Promise<number> {
    const { leader, followers } = await settle()
    const startedAt = performance.now()
    process.kill(leader.pid, signal)
    await trading.tradeV3(10n ** 17n)
    const block = await readHead()
    const elapsedMs = await untilServed({ fleet, pids: followers, block, startedAt })
    if (signal === 'SIGSTOP') process.kill(leader.pid, 'SIGCONT')
    return elapsedMs
  }
  return times
}

/** Until any of these gateways knows the block, from when on it quotes there. */
async function untilServed({
  fleet,
  pids,
  block,
  startedAt,
}: {
  readonly fleet: SyncFleet
  readonly pids: readonly { readonly pid: number }[]
  readonly block: number
  readonly startedAt: number
}): Promise<number> {
  const isAsked = (pid: number) => pids.some((each) => each.pid === pid)
  await waitFor(
    `block ${block} is served`,
    async () => (await fleet.look(isAsked)).some((each) => each.block >= block),
    often,
  )
  return performance.now() - startedAt
}

/**
 * From a request until its transaction is mined, asked of the gateway that does not send: as it is, and
 * when the one that sends is killed or stopped right before.
 */
export async function measureRelayTakeover({
  chain,
  database,
  count,
}: Setup): Promise<TakeoverTimes> {
  const { chainId, rpcUrl } = chain
  const setup = { database, killWithinPoints: 0, seed: 0, limits: {}, naive: false }
  const fleet = startFleet(chain, setup, 2)
  const owners: Address[] = Array.from({ length: count * 3 }, (_, index) => ownerAt(index, 'scale'))
  await prepareOwners(chain, owners)
  const times = { usual: [] as number[], killed: [] as number[], hung: [] as number[] }
  try {
    for (let index = 0; index < count; index += 1) {
      times.usual.push(await timeRequest(undefined))
      times.killed.push(await timeRequest('SIGKILL'))
    }
    for (let index = 0; index < Math.ceil(count / 3); index += 1)
      times.hung.push(await timeRequest('SIGSTOP'))
  } finally {
    await fleet.close()
  }

  async function timeRequest(signal: 'SIGKILL' | 'SIGSTOP' | undefined): Promise<number> {
    const { broadcaster, other } = await findRoles(fleet, database)
    const owner = owners.pop()
    if (!owner) throw new Error('there are owners for all')
    const startedAt = performance.now()
    if (signal) process.kill(broadcaster.pid, signal)
    const said = await askUntilAnswered(() => other.url, chainId, owner)
    if (typeof said === 'number') throw new Error(`answered ${said}`)
    await waitForReceipt({ rpcUrl, hash: said.txHash as Hex })
    const elapsedMs = performance.now() - startedAt
    if (signal === 'SIGSTOP') process.kill(broadcaster.pid, 'SIGCONT')
    return elapsedMs
  }
  return times
}
