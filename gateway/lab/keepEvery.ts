import { toReason } from '../observe/toReason.ts'

/** A killed lab loses what happened in this time, and while it was written. */
export const keepEveryMs = 15_000

/** Keeps now and again, and a last time when it is closed; what can't be kept is told and tried again. */
export function keepEvery(
  { print }: { readonly print: (text: string) => void },
  keep: () => Promise<void>,
  { everyMs = keepEveryMs }: { readonly everyMs?: number | undefined } = {},
) {
  let keeping = Promise.resolve()
  const tryToKeep = () =>
    keep().catch((error: unknown) => print(`the state is not kept: ${toReason(error)}\n`))
  const timer = setInterval(() => {
    if (isKeeping) return
    isKeeping = true
    keeping = tryToKeep().finally(() => {
      isKeeping = false
    })
  }, everyMs)
  let isKeeping = false
  return {
    async close() {
      clearInterval(timer)
      await keeping
      await tryToKeep()
    },
  }
}
