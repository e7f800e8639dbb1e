import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { forkStranger } from '../../../fixtures/forkStranger.ts'
import { type AddressKind, inNetwork, ofStrangers } from './networks.ts'
import type { StrangerKind } from './strangers.ts'

type Door = { readonly host: string; readonly port: number }

const start = (file: string, values: readonly (string | number)[]) =>
  [join(import.meta.dirname, file), values.map(String)] as const

export type HonestLoad = { readonly perSecond: number; readonly seconds: number }

/** A process of honest callers, in the network of theirs. */
export function forkHonest({ host, port }: Door, { perSecond, seconds }: HonestLoad): ChildProcess {
  const [execPath, ...execArgv] = [...inNetwork('honest'), process.execPath]
  return fork(...start('honest.ts', [host, port, perSecond, seconds]), { execPath, execArgv })
}

export type Strangers = {
  readonly kind: StrangerKind
  readonly from: AddressKind
  readonly addresses: number
  /** In all, or a second. */
  readonly connections: number
  /** Until who was cut off comes again. */
  readonly againMs?: number
}

/** A process of strangers, in the network of theirs, whose first address has that number. */
export function forkStrangers(
  { host, port }: Door,
  { kind, from, addresses, connections, againMs = 1_000 }: Strangers,
  first = 0,
): ChildProcess {
  const values = [kind, host, port, from, first, addresses, connections, againMs]
  return forkStranger(...start('strangers.ts', values), [...inNetwork('strangers'), ...ofStrangers])
}
