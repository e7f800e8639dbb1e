import { Type } from 'typebox'
import { type Hex, zeroAddress } from 'viem'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { address, bytes, bytes32, named, uint256, withDefault } from '../../http/schemas.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import type { LabChains } from '../faults/labChains.ts'

const chainId = Type.Integer({ description: 'chain of this lab' })
const done = named('Done', Type.Object({ done: Type.Boolean() }))
const somebody = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const mostBlocks = 100_000
const snapshotId = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{1,64}$' })
const snapshot = named('Snapshot', Type.Object({ id: snapshotId }))

/** What a test does to a lab's chain, over HTTP; whoever serves them asks for the lab's token first. */
export function controlEndpoints(chains: Pick<LabChains, 'on'>): readonly Endpoint[] {
  const onChain = <value>(id: number, use: (chain: LeasedChain) => Promise<value>) =>
    chains.on(id, (chain) =>
      use(chain).catch((cause: unknown) => {
        const sentence = cause instanceof Error ? cause.message : String(cause)
        throw httpError('conflict', sentence, { cause })
      }),
    )
  const change = { method: 'post', auth: 'none', output: done } as const
  return [
    endpoint({
      ...change,
      path: '/lab/deal',
      examples: {
        input: { chainId: 8453, token: zeroAddress, to: somebody, amount: '1000000000000000000' },
        output: { done: true },
      },
      summary: 'Make a balance be an amount, in raw units; the zero address is the native currency',
      input: named(
        'DealRequest',
        Type.Object({ chainId, token: address(), to: address(), amount: uint256() }),
      ),
      handle: async ({ body }) => {
        await onChain(body.chainId, (chain) => chain.deal(body.token, body.to, BigInt(body.amount)))
        return { done: true }
      },
    }),
    endpoint({
      ...change,
      path: '/lab/mine',
      examples: { input: { chainId: 8453, blocks: 1 }, output: { done: true } },
      summary: 'Mine blocks',
      input: named(
        'MineRequest',
        Type.Object({
          chainId,
          blocks: withDefault(Type.Integer({ minimum: 1, maximum: mostBlocks, default: 1 })),
        }),
      ),
      handle: async ({ body }) => {
        await onChain(body.chainId, (chain) => chain.mine(body.blocks))
        return { done: true }
      },
    }),
    endpoint({
      ...change,
      path: '/lab/warp',
      examples: { input: { chainId: 8453, secs: 3_600 }, output: { done: true } },
      summary: 'Let seconds pass, and mine a block that knows it',
      input: named(
        'WarpRequest',
        Type.Object({ chainId, secs: Type.Integer({ minimum: 1, maximum: 2 ** 31 }) }),
      ),
      handle: async ({ body }) => {
        await onChain(body.chainId, (chain) => chain.warp(body.secs))
        return { done: true }
      },
    }),
    endpoint({
      ...change,
      path: '/lab/snapshot',
      examples: { input: { chainId: 8453 }, output: { id: '0x1' } },
      summary: 'Keep the state of a chain',
      input: named('SnapshotRequest', Type.Object({ chainId })),
      output: snapshot,
      handle: ({ body }) => onChain(body.chainId, (chain) => chain.snapshot()),
    }),
    endpoint({
      ...change,
      path: '/lab/revert',
      examples: { input: { chainId: 8453, id: '0x1' }, output: { id: '0x2' } },
      summary: 'Go back to a kept state; the answer names it anew',
      input: named('RevertRequest', Type.Object({ chainId, id: snapshotId })),
      output: snapshot,
      handle: ({ body }) =>
        onChain(body.chainId, async (chain) => {
          const kept = { id: body.id }
          await chain.revert(kept)
          return kept
        }),
    }),
    endpoint({
      ...change,
      path: '/lab/impersonate',
      examples: {
        input: { chainId: 8453, from: somebody, to: zeroAddress, value: '1' },
        output: { hash: `0x${'ab'.repeat(32)}` },
      },
      summary: 'Send a transaction of an account whose key nobody needs',
      input: named(
        'ImpersonateRequest',
        Type.Object({
          chainId,
          from: address(),
          to: address(),
          data: Type.Optional(bytes()),
          value: Type.Optional(uint256()),
        }),
      ),
      output: named('Sent', Type.Object({ hash: bytes32() })),
      handle: ({ body: { chainId: id, from, to, data = '0x', value = '0' } }) =>
        onChain(id, async (chain) => ({
          hash: await chain.impersonate(from).send({ to, data, value: BigInt(value) }),
        })),
    }),
  ]
}
