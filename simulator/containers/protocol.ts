import { type Static, type TProperties, Type } from 'typebox'
import { networks } from '../forkSettings.ts'

const exactly = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })
const id = Type.String({ minLength: 1, maxLength: 64 })

/**
 * What a gateway may ask of the supervisor, as JSON-RPC methods. There is nothing else to ask: images,
 * mounts, networks and limits are the supervisor's own.
 */
export const forkMethods = {
  /** Begins a session; its forks are removed when nobody waits for it any more. */
  openSession: exactly({}),
  /** Answers with the ids of forks that have ended, at once when there are some. */
  waitForExits: exactly({ session: id }),
  startFork: exactly({
    session: id,
    chainId: Type.Integer({ minimum: 1, maximum: 2 ** 32 }),
    blockNumber: Type.Integer({ minimum: 0 }),
    /** Of the caller's relay: a fork can have no other upstream than the one who asks for it. */
    upstreamPort: Type.Integer({ minimum: 1, maximum: 65_535 }),
    upstreamPath: Type.String({ pattern: '^/[0-9A-Za-z/_-]{0,200}$' }),
    niceness: Type.Integer({ minimum: 0, maximum: 19 }),
    hardfork: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9]{1,32}$' })),
    network: Type.Optional(Type.Enum([...networks])),
  }),
  stopFork: exactly({ session: id, fork: id }),
  /** Answers with the bytes that each of the session's forks holds, by its id. */
  readMemory: exactly({ session: id }),
}

export type ForkMethod = keyof typeof forkMethods
/** The one parameter of a method. */
export type ForkParameter<M extends ForkMethod> = Static<(typeof forkMethods)[M]>
export type StartedFork = {
  readonly id: string
  readonly url: string
  /** Of the engine's own machine; absent where that is another one for each fork. */
  readonly pid?: number
}

/** How long a wait stays open; a session that nobody waits for during twice as long is over. */
export const waitMs = 2_000
