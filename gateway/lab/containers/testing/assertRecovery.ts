import { assert } from '../../../../fixtures/test.ts'
import { keepBooksUnder } from './askUnderFault.ts'
import type { LiveStack } from './liveStack.ts'
import { measureFault } from './measureFault.ts'
import type { StackFault } from './stackFaults.ts'

const goalSecs = 10

/**
 * Strikes under load: the books balance, and the stack is whole again within the goal, or, on a machine that
 * is too slow for that, within half as long again as it took from nothing to its first quote in this very
 * run. A slow machine is slow at both; what is broken (an orchestrator's growing pauses, a wait without
 * bounds for what fell silent) costs more. Exact times: `npm run bench:faults`.
 */
export async function assertRecovery(
  stack: LiveStack,
  {
    fault,
    probeKey,
    coldStartSecs,
  }: { readonly fault: StackFault; readonly probeKey: string; readonly coldStartSecs: number },
): Promise<void> {
  if (process.getuid?.() !== 0) {
    process.stdout.write('SKIPPED: the time of a recovery, which only root can read\n')
    await keepBooksUnder(stack, fault.strike)
    return
  }
  const giveUpSecs = Math.max(goalSecs, 1.5 * coldStartSecs)
  const measured = await measureFault(stack, { ...fault, probeKey, giveUpSecs })
  const { recoverySecs, said, left } = measured
  const told = `${fault.name}: not whole after ${giveUpSecs} s: ${left.join('; ')}. It had said: ${said.join('; ')}`
  assert.ok(recoverySecs !== undefined && recoverySecs <= giveUpSecs, told)
}
