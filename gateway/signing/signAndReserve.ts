import type { Turns } from './turns.ts'

/** What is to be signed; `id` names all of it, the nonce above all. */
export type Wish<order> = {
  readonly id: string
  readonly order: order
  /** Of what takes the next nonce: the same at a later one. It shares its turn with others of that kind. */
  readonly next?: { readonly nonce: number; at(later: number): Wish<order> } | undefined
}
export type Ready<signed> = { readonly id: string; readonly signed: signed }

export type Attempt<order, value> = { readonly value: value } | { readonly wish: Wish<order> }

/** The nonce was taken by another process again and again between its reading and its signature. */
export class NonceContended extends Error {
  override readonly name = 'NonceContended'
}

const mostSignatures = 8
/** Of one turn: who comes later waits for no more signatures than that. */
const mostTogether = 16

type Work<order, signed, value> = {
  readonly reserve: (ready: Ready<signed> | undefined) => Promise<Attempt<order, value>>
  readonly sign: (order: order) => Promise<signed>
  /** Whether the nonce that was signed for is taken now; of what takes the next one. */
  readonly isTaken?: ((value: value) => boolean) | undefined
}

/** One who waits for a signature, and hears of it by itself whatever becomes of the others. */
type Member = {
  readonly isOpen: () => boolean
  /** Whether the nonce that it was signed for last is taken. */
  readonly isTaken: () => boolean
  /** Where a turn has ended since it looked. */
  readonly lookAgain: () => Promise<void>
  /** Takes a nonce that is free from this one on, where it takes one, and says which is free after that. */
  readonly take: (free: number) => number
  readonly sign: () => Promise<void>
  readonly keep: () => Promise<void>
  readonly giveUp: () => void
}

/** Those that share the next turns, and which nonce is free after all that they have taken. */
type Line = {
  readonly members: Member[]
  free?: { readonly nonce: number; readonly ended: number } | undefined
}
const lines = new WeakMap<Turns, Line>()

/**
 * Signs without holding a database or the thread up. `reserve` is one transaction: it judges, and where it
 * would sign it either finds just that signed and keeps it, or says what it wants and changes nothing. The
 * signature is made in between; when the nonce or the price has changed by then, another one is made, and
 * what was signed before is forgotten: it never left this process. Those that take the next nonces are signed
 * and kept together, each for the nonce after the one before it; as long as all of them are, the next turn need
 * not look at the book before it signs.
 */
export async function signAndReserve<order, signed, value>(
  turns: Turns,
  work: Work<order, signed, value>,
): Promise<value> {
  const seen = turns.ended()
  const first = await work.reserve(undefined)
  if ('value' in first) return first.value
  const { promise, ...told } = Promise.withResolvers<value>()
  const hasChanged = () => turns.ended() !== seen
  const member = createMember(work, { first: first.wish, hasChanged, ...told })
  if (first.wish.next) join(turns, member)
  else void turns.run(() => takeTurn([member]))
  return promise
}

function join(turns: Turns, member: Member): void {
  const line: Line = lines.get(turns) ?? { members: [] }
  lines.set(turns, line)
  line.members.push(member)
  if (line.members.length % mostTogether === 1) void turns.run(() => takeNext(turns, line))
}

async function takeNext(turns: Turns, line: Line): Promise<void> {
  const members = line.members.splice(0, mostTogether)
  const ended = turns.ended()
  const known = line.free?.ended === ended ? line.free.nonce : undefined
  const nonce = await takeTurn(members, known)
  // Unless somebody else has the turn after this one.
  line.free = nonce === undefined ? undefined : { nonce, ended: ended + 1 }
}

/** Answers the nonce that is free then, where all were kept as they were signed first. */
async function takeTurn(members: readonly Member[], known?: number): Promise<number | undefined> {
  if (known === undefined) await Promise.all(members.map(({ lookAgain }) => lookAgain()))
  let free = known ?? 0
  for (let left = mostSignatures; left > 0; left -= 1) {
    const open = members.filter(({ isOpen }) => isOpen())
    if (open.length === 0) return undefined
    free = open.reduce((next, { take }) => take(next), free)
    // A key service may make one after the other, and has its time for each; where it is silent it is left alone.
    for (const { sign } of open) await sign()
    await Promise.all(open.map(({ keep }) => keep()))
    const isFirst = left === mostSignatures
    if (members.every(({ isTaken }) => isTaken())) return isFirst ? free : undefined
    free = 0
  }
  for (const { giveUp } of members) giveUp()
  return undefined
}

function createMember<order, signed, value>(
  { reserve, sign, isTaken = () => false }: Work<order, signed, value>,
  {
    first,
    hasChanged,
    resolve,
    reject,
  }: Pick<PromiseWithResolvers<value>, 'resolve' | 'reject'> & {
    readonly first: Wish<order>
    readonly hasChanged: () => boolean
  },
): Member {
  let wish: Wish<order> | undefined = first
  let ready: Ready<signed> | undefined
  let hasTaken = false

  function fail(error: unknown): void {
    wish = undefined
    reject(error)
  }
  async function ask(): Promise<void> {
    const attempt = await reserve(ready)
    if ('value' in attempt) {
      hasTaken = ready !== undefined && isTaken(attempt.value)
      resolve(attempt.value)
    }
    wish = 'value' in attempt ? undefined : attempt.wish
    ready = undefined
  }

  return {
    isOpen: () => wish !== undefined,
    isTaken: () => hasTaken,
    lookAgain: async () => {
      if (hasChanged()) await ask().catch(fail)
    },
    take(free) {
      if (!wish?.next) return free
      const nonce = Math.max(free, wish.next.nonce)
      wish = wish.next.at(nonce)
      return nonce + 1
    },
    async sign() {
      if (!wish) return
      const { id, order } = wish
      await sign(order).then((signed) => {
        ready = { id, signed }
      }, fail)
    },
    keep: async () => {
      if (ready) await ask().catch(fail)
    },
    giveUp() {
      if (wish) fail(new NonceContended('other processes were faster, again and again'))
    },
  }
}
