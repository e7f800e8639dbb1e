import { Type } from 'typebox'
import { readPack } from '../../simulator/pack/packFile.ts'
import type { Ops } from '../client/index.ts'
import type { Connection } from './connect.ts'
import { account, amounts, chainId, token, tool } from './tool.ts'
import { ToolError } from './toolError.ts'

const effect = 'lab' as const

/** The lab's control, which a connection to a lab has. */
function controlOf({ lab }: Connection) {
  if (!lab) throw new Error('a tool of labs was called without a lab')
  return lab.control
}

export const labTools = [
  tool({
    name: 'deal',
    title: 'Make a balance be an amount',
    description: 'Sets what an account of a lab holds of a token or of ETH.',
    input: Type.Object({ chainId, token: token('What it holds'), to: account('Who'), ...amounts }),
    effect,
    handle: async (connection, { chainId: id, token: name, to, ...given }) => {
      const { book } = connection
      const found = book.find(id, name)
      const amount = book.toRaw(found, given)
      await controlOf(connection).deal({
        chainId: id,
        token: found.address,
        to,
        amount: String(amount),
      })
      return { to, balance: book.toAmount(found, amount) }
    },
  }),
  tool({
    name: 'warp',
    title: 'Let time pass',
    description: 'Lets seconds pass on a chain of the lab and mines a block that knows it.',
    input: Type.Object({ chainId, secs: Type.Integer({ minimum: 1, maximum: 2 ** 31 }) }),
    effect,
    handle: (connection, body) => controlOf(connection).warp(body),
  }),
  tool({
    name: 'snapshot',
    title: 'Keep the state of a chain',
    description: 'Keeps the state of a chain of the lab; revert goes back to it.',
    input: Type.Object({ chainId }),
    effect,
    handle: (connection, body) => controlOf(connection).snapshot(body),
  }),
  tool({
    name: 'revert',
    title: 'Go back to a snapshot',
    description: 'Goes back to a kept state; the answer has the id to come back to it again.',
    input: Type.Object({ chainId, id: Type.String({ pattern: '^0x[0-9a-f]{1,64}$' }) }),
    effect,
    handle: (connection, body) => controlOf(connection).revert(body),
  }),
  tool({
    name: 'faults',
    title: 'What can go wrong on demand',
    description: 'The faults that a lab plays, each with a sentence, and those that are armed.',
    input: Type.Object({}),
    effect,
    handle: (connection) => controlOf(connection).faults(),
  }),
  tool({
    name: 'arm_fault',
    title: 'Have the next requests go wrong',
    description:
      'Has requests of the lab fail by the name of a fault (see faults), to see what a caller makes of it. Tools of this server are callers, too.',
    input: Type.Object({
      name: Type.String(),
      times: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      service: Type.Optional(
        Type.Unsafe<'routing' | 'meta' | 'relay'>({
          type: 'string',
          enum: ['routing', 'meta', 'relay'],
        }),
      ),
      path: Type.Optional(Type.String({ description: 'As requests name it: /quote' })),
      chainId: Type.Optional(chainId),
      settings: Type.Optional(
        Type.Record(Type.String(), Type.Integer(), {
          description: 'Of this fault, as faults has them: { "bps": 200 }',
        }),
      ),
    }),
    effect,
    // The lab itself says which names there are.
    handle: (connection, body) => controlOf(connection).fail(body as Ops.FaultRequest),
  }),
  tool({
    name: 'clear_faults',
    title: 'Forget the faults that are armed',
    description:
      'From now on requests are served as they should be, and what lasts of faults on a chain is taken back.',
    input: Type.Object({}),
    effect,
    handle: (connection) => controlOf(connection).clearFaults(),
  }),
  tool({
    name: 'pack',
    title: 'What a fork pack holds',
    description:
      'Checks a fork pack (`forkyard pack record`), from which a lab forks real chains without a network, and says which blocks it holds.',
    input: Type.Object({ file: Type.String({ minLength: 1, description: 'Path of the pack' }) }),
    effect,
    handle: async (_, { file }) => {
      const chains = await readPack(file).catch((cause: unknown) => {
        throw new ToolError(
          `${file} is no pack: ${cause instanceof Error ? cause.message : cause}`,
          {
            next: 'Record one: BASE_RPC_URL=<a node> npx forkyard pack record --out base.pack',
          },
        )
      })
      return {
        use: `npx forkyard lab-up --pack ${file}`,
        chains: chains.map(({ chainId: id, blockNumber, blockHash, isFrozen, answers }) => ({
          chainId: id,
          blockNumber: String(blockNumber),
          blockHash,
          isClockHeld: isFrozen,
          answers: answers.size,
        })),
      }
    },
  }),
]
