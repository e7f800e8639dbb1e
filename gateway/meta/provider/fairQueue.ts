type Waiter = { readonly start: () => void; readonly drop: () => void }

export type FairQueue = {
  /** Whether it is the caller's turn right now; then it is in. */
  tryEnter(caller: string): boolean
  /** `in` as soon as it is the caller's turn, `full` where too many wait. Rejects when the signal fires. */
  enter(caller: string, signal: AbortSignal): Promise<'in' | 'full'>
  /** Lets in who may start now; to be called whenever that may have changed. */
  pump(): void
  waiting(): number
}

/**
 * Turns go round by caller, not by who came first: a crowd of one caller stands behind itself. Where too
 * many wait, the newest of the caller with the longest line goes.
 */
export function createFairQueue({
  mayStart,
  onStart,
  maxWaiting,
}: {
  readonly mayStart: (caller: string) => boolean
  readonly onStart: (caller: string) => void
  readonly maxWaiting: number
}): FairQueue {
  /** In the order of turns; no line is empty. */
  const lines = new Map<string, Waiter[]>()
  let waiting = 0

  function take(caller: string, line: Waiter[], waiter: Waiter | undefined): Waiter | undefined {
    if (!waiter) return undefined
    waiting--
    if (line.length === 0) lines.delete(caller)
    return waiter
  }

  function startNext(): boolean {
    for (const [caller, line] of lines) {
      if (!mayStart(caller)) continue
      onStart(caller)
      lines.delete(caller)
      // Behind everybody else until its next turn.
      lines.set(caller, line)
      take(caller, line, line.shift())?.start()
      return true
    }
    return false
  }

  function pump(): void {
    while (startNext());
  }

  function dropOne(): void {
    let longest: readonly [string, Waiter[]] | undefined
    // Of equal lines the one whose turn comes last.
    for (const [caller, line] of lines)
      if (!longest || line.length >= longest[1].length) longest = [caller, line]
    if (longest) take(...longest, longest[1].pop())?.drop()
  }

  function enter(caller: string, signal: AbortSignal): Promise<'in' | 'full'> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<'in' | 'full'>()
    const line = lines.get(caller) ?? []
    const settle = (outcome: 'in' | 'full') => () => {
      signal.removeEventListener('abort', leave)
      resolve(outcome)
    }
    const waiter: Waiter = { start: settle('in'), drop: settle('full') }
    function leave() {
      const at = line.indexOf(waiter)
      take(caller, line, line.splice(at, 1)[0])
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    line.push(waiter)
    lines.set(caller, line)
    waiting++
    pump()
    if (waiting > maxWaiting) dropOne()
    return promise
  }

  function tryEnter(caller: string): boolean {
    if (lines.has(caller) || !mayStart(caller)) return false
    onStart(caller)
    return true
  }

  return {
    tryEnter,
    enter: async (caller, signal) => enter(caller, signal),
    pump,
    waiting: () => waiting,
  }
}
