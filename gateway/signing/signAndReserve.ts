import type { Turns } from './turns.ts'

/** What is to be signed; `id` names all of it, the nonce above all. */
export type Wish<order> = { readonly id: string; readonly order: order }
export type Ready<signed> = { readonly id: string; readonly signed: signed }

export type Attempt<order, value> = { readonly value: value } | { readonly wish: Wish<order> }

/** The nonce was taken by another process again and again between its reading and its signature. */
export class NonceContended extends Error {
  override readonly name = 'NonceContended'
}

const mostSignatures = 8

/**
 * Signs without holding a database or the thread up. `reserve` is one transaction: it judges, and where it
 * would sign it either finds just that signed and keeps it, or says what it wants and changes nothing. The
 * signature is made in between; when the nonce or the price has changed by then, another one is made, and
 * what was signed before is forgotten: it never left this process.
 */
export async function signAndReserve<order, signed, value>(
  turns: Turns,
  {
    reserve,
    sign,
  }: {
    readonly reserve: (ready: Ready<signed> | undefined) => Promise<Attempt<order, value>>
    readonly sign: (order: order) => Promise<signed>
  },
): Promise<value> {
  const first = await reserve(undefined)
  if ('value' in first) return first.value
  const mustLookAgain = turns.isTaken()
  return turns.run(async () => {
    let attempt = mustLookAgain ? await reserve(undefined) : first
    for (let left = mostSignatures; left > 0; left -= 1) {
      if ('value' in attempt) return attempt.value
      const { id, order } = attempt.wish
      attempt = await reserve({ id, signed: await sign(order) })
    }
    if ('value' in attempt) return attempt.value
    throw new NonceContended('other processes were faster, again and again')
  })
}
