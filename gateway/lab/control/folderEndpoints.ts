import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { bytes32, named, withDefault } from '../../http/schemas.ts'
import { maskUrls } from '../../observe/maskUrls.ts'
import type { LabFiles } from '../labFiles.ts'
import { describeAge } from '../packs/describePack.ts'
import { readLastLines } from '../readLastLines.ts'

const mostLines = 500
const longestLine = 2_000
const mostPacks = 50

const labLog = named(
  'LabLog',
  Type.Object({
    name: Type.String(),
    lines: Type.Array(Type.String(), { description: 'The newest last, without URLs' }),
  }),
)
const labPack = named(
  'LabPack',
  Type.Object({
    path: Type.String(),
    bytes: Type.Integer(),
    isOfLab: Type.Boolean({ description: 'This lab runs on it' }),
    refusal: Type.Optional(Type.String({ description: 'Why it can not be used' })),
    chains: Type.Array(
      Type.Object({
        chainId: Type.Integer(),
        blockNumber: Type.Integer(),
        blockHash: bytes32(),
        age: Type.String(),
        isFrozen: Type.Boolean({ description: 'Its clock is held' }),
        answers: Type.Integer(),
      }),
    ),
  }),
)

type Deps = {
  readonly files: Pick<LabFiles, 'gatewayLog' | 'supervisorLog'>
  /** Where the lab was started: packs in it are told of. */
  readonly folder: string
  /** What the lab runs on, if that is a pack. */
  readonly ownPack: string | undefined
  readonly now: () => number
}

/** What stands in a lab's folders: its logs, and the packs that it could run on. */
export function folderEndpoints(deps: Deps): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/lab/logs',
      summary: 'The last lines of the logs of this lab, as forkyard lab logs has them',
      query: Type.Object({
        lines: withDefault(Type.Integer({ minimum: 1, maximum: mostLines, default: 50 })),
      }),
      output: named('LabLogs', Type.Object({ logs: Type.Array(labLog) })),
      auth: 'none',
      examples: { query: { lines: 50 }, output: { logs: [{ name: 'gateway.log', lines: [] }] } },
      handle: async ({ query: { lines } }) => ({ logs: await readLogs(deps, lines) }),
    }),
    endpoint({
      method: 'get',
      path: '/lab/packs',
      summary: 'The pack of this lab and those in the folder that it was started in',
      output: named('LabPacks', Type.Object({ packs: Type.Array(labPack) })),
      auth: 'none',
      examples: { output: { packs: [] } },
      handle: async () => ({ packs: await readPacks(deps) }),
    }),
  ]
}

async function readLogs({ files }: Deps, lines: number): Promise<Static<typeof labLog>[]> {
  const logs = [files.supervisorLog, files.gatewayLog].map(async (path) => {
    const last = await readLastLines(path, { lines })
    const clipped = last?.map((line) => maskUrls(line).slice(0, longestLine))
    return clipped ? [{ name: basename(path), lines: clipped }] : []
  })
  return (await Promise.all(logs)).flat()
}

async function readPacks({ folder, ownPack, now }: Deps): Promise<Static<typeof labPack>[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const own = ownPack === undefined ? [] : [resolve(folder, ownPack)]
  const beside = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.pack'))
    .map(({ name }) => join(folder, name))
    .sort()
  const paths = [...new Set([...own, ...beside])].slice(0, mostPacks)
  return Promise.all(
    paths.map(async (path) => ({ isOfLab: own.includes(path), ...(await readOne(path, now())) })),
  )
}

async function readOne(path: string, nowMs: number) {
  // Few look for packs; each start of a lab would load what reads them.
  const { PackError, readPackHeader } = await import('../../../simulator/pack/packFile.ts')
  try {
    const { size: bytes } = await stat(path)
    const chains = (await readPackHeader(path)).map((chain) => ({
      chainId: chain.chainId,
      blockNumber: Number(chain.blockNumber),
      blockHash: chain.blockHash,
      age: describeAge(chain, nowMs),
      isFrozen: chain.isFrozen === true,
      answers: chain.entries,
    }))
    return { path, bytes, chains }
  } catch (error) {
    const refused = (refusal: string) => ({ path, bytes: 0, chains: [], refusal })
    if (error instanceof PackError) return refused(error.message)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return refused('it is gone')
    throw error
  }
}
