import type { LabParameters } from './labFiles.ts'
import { givenOf, givenVariables, readStatus } from './labFiles.ts'
import { dropLabState } from './labState.ts'
import { labDown, labUp } from './upAndDown.ts'

/** `forkyard lab reset`: the same lab anew, with nothing of what it kept. */
export async function resetLab({ files, env, print }: LabParameters): Promise<void> {
  const whole = { ...givenOf(env), ...readStatus(files)?.given }
  await labDown({ files, print })
  const state = whole[givenVariables.state]
  if (state) dropLabState(state)
  await labUp({ files, env: { ...env, ...whole }, print })
}
