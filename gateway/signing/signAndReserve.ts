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
}

/** One who waits for a signature, and hears of it by itself whatever becomes of the others. */
type Member = {
  readonly isOpen: () => boolean
  /** Where a turn has ended since it looked. */
  readonly lookAgain: () => Promise<void>
  /** Takes a nonce that is free from this one on, where it takes one, and says which is free after that. */
  readonly take: (free: number) => number
  readonly sign: () => Promise<void>
  readonly keep: () => Promise<void>
  readonly giveUp: () => void
}

/** Those that share the next turns. */
const lines = new WeakMap<Turns, Member[]>()

/**
 * Signs without holding a database or the thread up. `reserve` is one transaction: it judges, and where it
 * would sign it either finds just that signed and keeps it, or says what it wants and changes nothing. The
 * signature is made in between; when the nonce or the price has changed by then, another one is made, and
 * what was signed before is forgotten: it never left this process. Those that take the next nonces are signed
 * and kept together, each for the nonce after the one before it.
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
  const line = lines.get(turns) ?? []
  lines.set(turns, line)
  line.push(member)
  if (line.length % mostTogether === 1) void turns.run(() => takeTurn(line.splice(0, mostTogether)))
}

async function takeTurn(members: readonly Member[]): Promise<void> {
  await Promise.all(members.map(({ lookAgain }) => lookAgain()))
  for (let left = mostSignatures; left > 0; left -= 1) {
    const open = members.filter(({ isOpen }) => isOpen())
    const [first, ...others] = open
    if (!first) return
    open.reduce((free, { take }) => take(free), 0)
    // A key service that does not answer is asked by one of them, and then left alone.
    await first.sign()
    await Promise.all(others.map(({ sign }) => sign()))
    await Promise.all(open.map(({ keep }) => keep()))
  }
  for (const { giveUp } of members) giveUp()
}

function createMember<order, signed, value>(
  { reserve, sign }: Work<order, signed, value>,
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

  function fail(error: unknown): void {
    wish = undefined
    reject(error)
  }
  async function ask(): Promise<void> {
    const attempt = await reserve(ready)
    if ('value' in attempt) resolve(attempt.value)
    wish = 'value' in attempt ? undefined : attempt.wish
    ready = undefined
  }

  return {
    isOpen: () => wish !== undefined,
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
