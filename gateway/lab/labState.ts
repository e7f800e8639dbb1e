import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { backupDatabase } from '../store/backup.ts'
import { syncFile } from '../store/syncFile.ts'
import { type ChainToResume, dumpChain, type KeptChain, readHead } from './keptChain.ts'
import type { LabChain } from './labChain.ts'

export type LabSecrets = { readonly pepper: string; readonly apiKey: string }
type KeptLab = LabSecrets & { readonly chains: Readonly<Record<string, KeptChain>> }

/** What an earlier lab left to go on from. */
export type Kept = LabSecrets & {
  readonly databasePath: string
  readonly chains: Readonly<Record<string, ChainToResume>>
}

export type LabState = {
  readonly kept: Kept | undefined
  /** Writes what is now; a crash leaves this or what was kept before, whole. */
  readonly keep: (lab: LabNow) => Promise<void>
  close(): void
}
type LabNow = {
  readonly chains: readonly LabChain[]
  readonly databasePath: string
  readonly secrets: LabSecrets
}

const keptName = /^kept-(\d{9})$/
const toName = (number: number) => `kept-${String(number).padStart(9, '0')}`

/** Holds the folder until it is closed or this process has ended, however it ends. */
export function openLabState(given: string): LabState {
  const dir = resolve(given)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const release = lock(dir)
  let last = Math.max(0, ...listKept(dir))
  return {
    kept: last === 0 ? undefined : readKept(join(dir, toName(last))),
    async keep(lab) {
      const draft = join(dir, 'next')
      rmSync(draft, { recursive: true, force: true })
      mkdirSync(draft, { mode: 0o700 })
      await writeLab(draft, lab)
      renameSync(draft, join(dir, toName(last + 1)))
      syncFile(dir)
      last += 1
      dropOthers(dir, last)
    },
    close: release,
  }
}

/** Forgets what was kept, and touches nothing else in the folder. */
export function dropLabState(given: string): void {
  const state = openLabState(given)
  dropOthers(resolve(given), undefined)
  state.close()
}

/** A lock of the system's: it is gone with its process. */
function lock(dir: string): () => void {
  const db = new Database(join(dir, 'lock'), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new Error(`another lab keeps its state in ${dir}`, { cause })
  }
  return () => db.close()
}

const listKept = (dir: string) =>
  readdirSync(dir).flatMap((name) => {
    const [, number] = keptName.exec(name) ?? []
    return number === undefined ? [] : [Number(number)]
  })

function dropOthers(dir: string, kept: number | undefined) {
  for (const number of listKept(dir))
    if (number !== kept) rmSync(join(dir, toName(number)), { recursive: true, force: true })
}

const databaseIn = (dir: string) => join(dir, 'forkyard.sqlite')
const stateIn = (dir: string, chainId: string | number) => join(dir, `chain-${chainId}.json`)

function readKept(dir: string): Kept {
  // Written by writeLab below, so whole and of our shape.
  const lab = JSON.parse(readFileSync(join(dir, 'lab.json'), 'utf8')) as KeptLab
  const chains = Object.entries(lab.chains).map(([chainId, chain]) => [
    chainId,
    { ...chain, statePath: stateIn(dir, chainId) },
  ])
  return { ...lab, databasePath: databaseIn(dir), chains: Object.fromEntries(chains) }
}

/**
 * The chains first, the database then: it may know of a payment whose block is not kept, which is taken back
 * as after any reorganisation. The other way round a nonce would be signed twice.
 */
async function writeLab(dir: string, { chains, databasePath, secrets }: LabNow): Promise<void> {
  const write = (path: string, data: string | Uint8Array) => {
    writeFileSync(path, data, { mode: 0o600 })
    syncFile(path)
  }
  const dumped = await Promise.all(
    chains.map(async (chain) => {
      const { state, aheadSecs } = await dumpChain(createRpc(chain.anvilUrl))
      write(stateIn(dir, chain.chainId), state)
      return { chain, aheadSecs }
    }),
  )
  await backupDatabase({ path: databasePath, to: databaseIn(dir) })
  const kept = await Promise.all(
    dumped.map(async ({ chain, aheadSecs }) => {
      const seenHead = await readHead(createRpc(chain.anvilUrl))
      const { forked, manifest, origin } = chain
      return [chain.chainId, { forked, manifest, origin, aheadSecs, seenHead }] as const
    }),
  )
  const lab: KeptLab = { ...secrets, chains: Object.fromEntries(kept) }
  write(join(dir, 'lab.json'), `${JSON.stringify(lab, null, 2)}\n`)
  syncFile(dir)
}
