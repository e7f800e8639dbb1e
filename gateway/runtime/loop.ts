/** Runs one thing over and over, never twice at once. */
export function createLoop({
  everyMs,
  run,
  failed,
}: {
  readonly everyMs: number
  readonly run: () => Promise<void>
  /** Absent where `run` tells what fails. */
  readonly failed?: ((cause: unknown) => void) | undefined
}) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let again = false
  async function runAll(): Promise<void> {
    do {
      again = false
      await run().catch(failed)
    } while (again)
  }
  const runNow = () => {
    running ??= runAll().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    runNow,
    /** Once started: a run that begins after this call, since one under way may have looked already. */
    wake() {
      if (!timer) return
      again = running !== undefined
      void runNow()
    },
    start() {
      void runNow()
      timer ??= setInterval(() => void runNow(), everyMs).unref()
    },
    async stop() {
      clearInterval(timer)
      timer = undefined
      again = false
      await running
    },
  }
}
