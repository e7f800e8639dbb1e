import type { ProcessSettings } from './settings.ts'

/** Start of every API key: a lab's keys are told apart at sight. */
export const keyPrefixOf = (mode: ProcessSettings['FORKYARD_MODE']) =>
  mode === 'live' ? 'fy_live' : 'fy_lab'
