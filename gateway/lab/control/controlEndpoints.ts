import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { address, bytes, uint256 } from '../../http/schemas.ts'
import { createLeasedChain, type LeasedChain } from '../../testing/leaseChain.ts'
import type { LabManifest } from '../manifest.ts'

const chainId = Type.Integer({ description: 'chain of this lab' })
const done = Type.Object({ done: Type.Boolean() })
const mostBlocks = 100_000
const snapshotId = Type.String({ pattern: '^0x[0-9a-f]{1,64}$' })

/** What a test does to a lab's chain, over HTTP; whoever serves them asks for the lab's token first. */
export function controlEndpoints({
  manifestPath,
}: {
  readonly manifestPath: string
}): readonly Endpoint[] {
  /** Opened for each request: the manifest's chain may be another by now. */
  async function onChain<value>(id: number, use: (chain: LeasedChain) => Promise<value>) {
    // Written by this lab.
    const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as LabManifest
    const found = manifest.chains[String(id)]
    if (!found) throw httpError('invalidRequest', `the lab has no chain ${id}`)
    const { chain, close } = createLeasedChain({ ...found, chainId: id })
    try {
      return await use(chain)
    } catch (cause) {
      const sentence = cause instanceof Error ? cause.message : String(cause)
      throw httpError('conflict', sentence, { cause })
    } finally {
      await close()
    }
  }
  const change = { method: 'post', auth: 'none', output: done } as const
  return [
    endpoint({
      ...change,
      path: '/lab/deal',
      summary: 'Make a balance be an amount; the zero address is the native currency',
      input: Type.Object({ chainId, token: address(), to: address(), amount: uint256() }),
      handle: async ({ body }) => {
        await onChain(body.chainId, (chain) => chain.deal(body.token, body.to, BigInt(body.amount)))
        return { done: true }
      },
    }),
    endpoint({
      ...change,
      path: '/lab/mine',
      summary: 'Mine blocks',
      input: Type.Object({
        chainId,
        blocks: Type.Integer({ minimum: 1, maximum: mostBlocks, default: 1 }),
      }),
      handle: async ({ body }) => {
        await onChain(body.chainId, (chain) => chain.mine(body.blocks))
        return { done: true }
      },
    }),
    endpoint({
      ...change,
      path: '/lab/warp',
      summary: 'Let seconds pass, and mine a block that knows it',
      input: Type.Object({ chainId, secs: Type.Integer({ minimum: 1, maximum: 2 ** 31 }) }),
      handle: async ({ body }) => {
        await onChain(body.chainId, (chain) => chain.warp(body.secs))
        return { done: true }
      },
    }),
    endpoint({
      ...change,
      path: '/lab/snapshot',
      summary: 'Keep the state of a chain',
      input: Type.Object({ chainId }),
      output: Type.Object({ id: snapshotId }),
      handle: ({ body }) => onChain(body.chainId, (chain) => chain.snapshot()),
    }),
    endpoint({
      ...change,
      path: '/lab/revert',
      summary: 'Go back to a kept state; the answer names it anew',
      input: Type.Object({ chainId, id: snapshotId }),
      output: Type.Object({ id: snapshotId }),
      handle: ({ body }) =>
        onChain(body.chainId, async (chain) => {
          const snapshot = { id: body.id as `0x${string}` }
          await chain.revert(snapshot)
          return snapshot
        }),
    }),
    endpoint({
      ...change,
      path: '/lab/impersonate',
      summary: 'Send a transaction of an account whose key nobody needs',
      input: Type.Object({
        chainId,
        from: address(),
        to: address(),
        data: Type.Optional(bytes()),
        value: Type.Optional(uint256()),
      }),
      output: Type.Object({ hash: Type.String() }),
      handle: ({ body: { chainId: id, from, to, data = '0x', value = '0' } }) =>
        onChain(id, async (chain) => ({
          hash: await chain
            .impersonate(from)
            .send({ to, data: data as `0x${string}`, value: BigInt(value) }),
        })),
    }),
  ]
}
