import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { type FaultProxy, startFaultProxy } from '../../../fixtures/chains/faultProxy.ts'
import { startTrading } from '../../../fixtures/chains/tradeWorld.ts'
import type { Postgres } from '../../../fixtures/store/postgres.ts'
import { digestOf, type SyncGateway, startSyncGateway } from '../../../fixtures/sync/syncGateway.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'

export type Member = SyncGateway & { readonly node: FaultProxy }

const until = (what: string, isTrue: () => boolean) => waitFor(what, isTrue, { deadlineMs: 60_000 })

/** Three gateways on one PostgreSQL, each with a way of its own to the node. */
export async function startSharedStand({ createDatabase }: Pick<Postgres, 'createDatabase'>) {
  const chain = await startWorldChain({ chainId: 8453 })
  const rpc = createRpc(chain.rpcUrl)
  const trading = await startTrading(chain)
  const database = await createDatabase()
  const [dexes, seeds] = [
    ['uniswap-v2', 'uniswap-v3'],
    ['WETH', 'USDC'],
  ]

  async function start(): Promise<Member> {
    const node = await startFaultProxy({ target: chain.rpcUrl })
    const { rpcUrl } = node
    const gateway = await startSyncGateway({ chain, rpcUrl, database, dexes, seeds })
    return { ...gateway, node }
  }
  const members: Member[] = await Promise.all([start(), start(), start()])

  const withRole = (role: string) => members.filter((member) => member.look().role === role)
  async function leave(member: Member): Promise<void> {
    members.splice(members.indexOf(member), 1)
    await member.close()
    await member.node.close()
  }

  return {
    ...trading,
    chain,
    rpc,
    database,
    members,
    withRole,
    until,
    leave,
    leader(): Member {
      const [first] = withRole('leader')
      if (!first) throw new Error('nobody leads')
      return first
    },
    follower(): Member {
      const [first] = withRole('follower')
      if (!first) throw new Error('nobody follows')
      return first
    },
    isOneLeading: () => withRole('leader').length === 1,
    /** Waits until all know the node's head, and the same of every pool. */
    async agree(what: string): Promise<string> {
      const head = BigInt(String(await rpc('eth_blockNumber')))
      await until(`${what}: all at block ${head}, one of them leading`, () => {
        const digests = new Set(members.map((member) => digestOf(member.state())))
        const isAtHead = members[0]?.state()?.head.number === head
        return withRole('leader').length === 1 && digests.size === 1 && isAtHead
      })
      return digestOf(members[0]?.state())
    },
    async trade(): Promise<void> {
      await trading.tradeV2(10n ** 17n)
      await trading.tradeV3(10n ** 17n)
    },
    /** What a gateway asked its node, but for the price of gas. */
    countCalls(member: Member): Readonly<Record<string, number>> {
      const {
        eth_gasPrice: _,
        eth_chainId: __,
        ...others
      } = Object.fromEntries(member.node.seen.calls)
      return others
    },
    async join(): Promise<Member> {
      const member = await start()
      members.push(member)
      return member
    },
    async close(): Promise<void> {
      for (const member of [...members]) await leave(member)
      await chain.close()
    },
  }
}
