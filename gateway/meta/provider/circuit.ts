/** What came of a call: whether it says that the source is ill, or that it is well. */
export type Verdict = 'fault' | 'healthy' | 'answered'

export type CircuitState = 'closed' | 'open' | 'half_open'

export type CircuitParameters<request> = {
  /** Faults in a row that open it. */
  readonly breakAfter: number
  /** How long it stays open before it is tried. */
  readonly halfOpenAfterMs: number
  /** Asks what was answered before once more; undefined where it could not be asked just now. */
  readonly probe: (request: request) => Promise<Verdict | undefined>
}

type Call<request, outcome> = {
  /** Empty: nobody in particular. */
  readonly caller: string
  readonly request: request
  readonly run: () => Promise<outcome>
  /** Undefined where it says nothing of the source. */
  readonly judge: (outcome: outcome) => Verdict | undefined
}

type Row = { readonly count: number; readonly untilMs: number }

/** Callers whose last answer is remembered, to tell a sick source from poisoned questions. */
const mostGood = 8
const mostProbes = 3
/** Beyond it the ones that failed longest ago are forgotten. */
const mostRows = 1_024

/**
 * Keeps calls from a source that is ill. Anybody may ask what a provider chokes on: one caller's faults
 * shut out that caller only, and those of several open the circuit for all when the source fails at what
 * it answered others before, too.
 */
export function createCircuit<request>({
  breakAfter,
  halfOpenAfterMs,
  probe,
}: CircuitParameters<request>) {
  const rows = new Map<string, Row>()
  const good = new Map<string, request>()
  let faulty = new Set<string>()
  let inRow = 0
  let openedAtMs: number | undefined
  let trying: Promise<boolean> | undefined

  const isPaused = () =>
    openedAtMs !== undefined && performance.now() - openedAtMs < halfOpenAfterMs

  function forgive(): void {
    inRow = 0
    faulty = new Set()
  }

  function open(): void {
    openedAtMs = performance.now()
    forgive()
  }

  /** Whether it answers any of what it answered before, to others than these. */
  async function isWell(unless: ReadonlySet<string>): Promise<boolean> {
    for (const [, request] of [...good]
      .filter(([caller]) => !unless.has(caller))
      .slice(-mostProbes))
      if (((await probe(request)) ?? 'fault') !== 'fault') return true
    return false
  }

  /** One at a time: who comes meanwhile waits for the same word. */
  function tryOnce(unless: ReadonlySet<string>): Promise<boolean> {
    trying ??= isWell(unless).finally(() => {
      trying = undefined
    })
    return trying
  }

  function closeIfWell(isWell: boolean): void {
    if (isWell) openedAtMs = undefined
  }

  function noteRow(caller: string): void {
    if (caller === '') return
    const count = (rows.get(caller)?.count ?? 0) + 1
    const untilMs = count >= breakAfter ? performance.now() + halfOpenAfterMs : 0
    rows.delete(caller)
    rows.set(caller, { count, untilMs })
    const [oldest] = rows.size > mostRows ? rows.keys() : []
    if (oldest !== undefined) rows.delete(oldest)
  }

  /** What it means is found out behind the call: its caller has waited long enough. */
  async function noteFault(caller: string, isTrial: boolean): Promise<void> {
    noteRow(caller)
    if (isTrial) return open()
    inRow += 1
    faulty.add(caller)
    const areSeveral = faulty.size > 1 || caller === ''
    if (inRow < breakAfter || !areSeveral || openedAtMs !== undefined) return
    if (await tryOnce(faulty)) forgive()
    else if (inRow >= breakAfter) open()
  }

  function noteHealth(caller: string, request: request, verdict: Verdict): void {
    openedAtMs = undefined
    forgive()
    rows.delete(caller)
    if (verdict !== 'answered') return
    good.delete(caller)
    good.set(caller, request)
    const [oldest] = good.size > mostGood ? good.keys() : []
    if (oldest !== undefined) good.delete(oldest)
  }

  return {
    state(): CircuitState {
      // Shut for all who asked since it answered anybody, as far as anybody can tell.
      if (openedAtMs === undefined) return inRow < breakAfter ? 'closed' : 'open'
      return trying ? 'half_open' : 'open'
    },
    /** What came of the call; undefined where it was not made. */
    async execute<outcome>(call: Call<request, outcome>): Promise<outcome | undefined> {
      const { caller, request, run, judge } = call
      if (isPaused() || performance.now() < (rows.get(caller)?.untilMs ?? 0)) return undefined
      const before = openedAtMs
      const isTrial = before !== undefined
      // The next one tries it, a while after this one. A poisoned question is not to keep it open.
      const triedAtMs = performance.now()
      if (isTrial) openedAtMs = triedAtMs
      // Beside the call: what it answered before may hang, and who waits for the call does not wait for that.
      const tried = isTrial ? tryOnce(new Set()).then(closeIfWell) : undefined
      const outcome = await run()
      const verdict = judge(outcome)
      if (verdict === undefined) {
        // Where there is nothing to ask it once more, the next one tries it in place of this one.
        if (good.size === 0 && openedAtMs === triedAtMs) openedAtMs = before
        return outcome
      }
      const blame = () => noteFault(caller, openedAtMs !== undefined)
      if (verdict !== 'fault') noteHealth(caller, request, verdict)
      else void (tried ? tried.then(blame) : blame())
      return outcome
    },
  }
}
