import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { worldChainIds } from '../../fixtures/world.ts'
import { anvilBinary } from '../../simulator/anvilBinary.ts'
import { chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { version } from '../runtime/version.ts'
import type { LabEnvironment } from './labChain.ts'
import { findSupervisor, type LabFiles } from './labFiles.ts'
import { isRefused, takePort } from './ports.ts'

export type Finding = {
  readonly what: string
  readonly found: string
  /** What to do about it; undefined: nothing. */
  readonly advice?: string | undefined
}

const oldestNode = 22
const leastMemoryGiB = 3
const ports = { ROUTING_PORT: 8080, META_PORT: 8081, RELAY_PORT: 8082, OPS_PORT: 8090 }
const run = promisify(execFile)

/** `forkyard doctor`: whether a lab can run here, and what to do where not. */
export async function examine({
  files,
  env,
  nodeVersion = process.versions.node,
  memoryBytes = totalmem(),
  findAnvil = anvilBinary,
}: {
  readonly files: LabFiles
  readonly env: LabEnvironment
  readonly nodeVersion?: string
  readonly memoryBytes?: number
  readonly findAnvil?: () => string
}): Promise<readonly Finding[]> {
  const gib = memoryBytes / 2 ** 30
  return [
    { what: 'forkyard', found: version },
    {
      what: 'Node',
      found: nodeVersion,
      advice:
        Number.parseInt(nodeVersion, 10) < oldestNode
          ? `install Node ${oldestNode} or newer`
          : undefined,
    },
    {
      what: 'machine',
      found: `${process.platform} ${process.arch}, ${availableParallelism()} cores`,
    },
    {
      what: 'memory',
      found: `${gib.toFixed(1)} GiB`,
      advice: gib < leastMemoryGiB ? `a lab wants ${leastMemoryGiB} GiB` : undefined,
    },
    await examineAnvil(findAnvil),
    await examineWorld(),
    examineFolder(files),
    ...(await examinePorts({ files, env })),
  ]
}

async function examineAnvil(find: () => string): Promise<Finding> {
  try {
    const { stdout } = await run(find(), ['--version'], { timeout: 10_000 })
    return { what: 'anvil', found: stdout.split('\n')[0]?.trim() ?? '' }
  } catch {
    const advice = 'install again with optional dependencies: npm install --include=optional'
    return { what: 'anvil', found: 'does not run', advice }
  }
}

async function examineWorld(): Promise<Finding> {
  const ids = await worldChainIds()
  if (ids.length > 0) return { what: 'offline world', found: `chains ${ids.join(', ')}` }
  const advice = `npm i -D forkyard-world@${version}, or fork real chains`
  return { what: 'offline world', found: 'none', advice }
}

function examineFolder({ dir }: LabFiles): Finding {
  let parent = dir
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    accessSync(parent, constants.W_OK)
    return { what: 'folder', found: dir }
  } catch {
    const advice = 'set FORKYARD_LAB_DIR to a folder that may be written'
    return { what: 'folder', found: `${parent} may not be written`, advice }
  }
}

async function examinePorts({
  files,
  env,
}: {
  readonly files: LabFiles
  readonly env: LabEnvironment
}): Promise<readonly Finding[]> {
  const running = findSupervisor(files)
  if (running) return [{ what: 'lab', found: `${running.phase} (process ${running.pid})` }]
  const wanted = [
    ...Object.entries(ports),
    ...chains.map((chain) => [settingName(chain, 'CHAIN_PORT'), chain.labPort] as const),
  ]
  const findings: Finding[] = []
  for (const [name, usual] of wanted) {
    const port = Number(env[name] || usual)
    // A chain goes elsewhere by itself where its port was not asked for.
    const mayMove = name.endsWith('_CHAIN_PORT') && !env[name]
    const fault = await takePort({ name, port }).then(
      () => undefined,
      () => (isRefused(port) ? 'is refused by browsers' : 'is taken'),
    )
    findings.push({
      what: name,
      found: `${port} ${fault ?? 'is free'}`,
      advice: fault === undefined || mayMove ? undefined : `set ${name} to a free port`,
    })
  }
  return findings
}
