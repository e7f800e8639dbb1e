import type { Command } from 'commander'
import { keepEveryMs } from './keepEvery.ts'
import type { LabParameters } from './labFiles.ts'
import { givenVariables, labFiles } from './labFiles.ts'

export type StartOptions = { readonly pack?: string; readonly state?: string }

/** What every command that starts a lab takes. */
export const withStartOptions = (command: Command): Command =>
  command
    .option('--pack <file>', 'fork the chains that this pack holds, without a network')
    .option(
      '--state <dir>',
      'keep chains and database there, and go on from what is kept: when the lab stops, and every ' +
        `${keepEveryMs / 1000} s, which is what a killed lab may lose; snapshots are not kept`,
    )

/** The lab of this folder. `--pack` says what FORKYARD_PACK says, `--state` what FORKYARD_STATE does. */
export const labOf = (
  { pack, state }: StartOptions,
  print: LabParameters['print'],
): LabParameters => ({
  files: labFiles(),
  env: {
    ...process.env,
    ...(pack && { [givenVariables.pack]: pack }),
    ...(state && { [givenVariables.state]: state }),
  },
  print,
})
