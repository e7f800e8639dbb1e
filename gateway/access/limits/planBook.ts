import type { Plan, Plans } from '../../store/plans.ts'

export type PlanBook = {
  /** Undefined without a name, and for a plan whose last key is leaving it at this moment. */
  find(name: string | undefined): Promise<Plan | undefined>
}

/** The plans as they were at most `freshForMs` ago. Nothing is read before a key has one. */
export function createPlanBook(
  plans: Pick<Plans, 'list'>,
  { freshForMs = 1_000, monotonicMs = () => performance.now() } = {},
): PlanBook {
  let known: Promise<ReadonlyMap<string, Plan>> = Promise.resolve(new Map())
  let readAtMs = Number.NEGATIVE_INFINITY

  const read = async () => new Map((await plans.list()).map((plan) => [plan.name, plan]))
  function refresh() {
    readAtMs = monotonicMs()
    known = read()
    // Who asks is told; the next one asks again.
    known.catch(() => {
      readAtMs = Number.NEGATIVE_INFINITY
    })
  }

  return {
    async find(name) {
      if (name === undefined) return undefined
      if (monotonicMs() - readAtMs >= freshForMs) refresh()
      const plan = (await known).get(name)
      if (plan) return plan
      // It may be newer than what was read.
      refresh()
      return (await known).get(name)
    },
  }
}
