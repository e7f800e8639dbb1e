import { getChain } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { toTable } from '../observe/printTable.ts'
import { findSupervisor, type LabFiles, readManifest } from './labFiles.ts'
import type { LabManifest } from './manifest.ts'

export type StatusFormat = 'table' | 'json' | 'env'

/** `forkyard lab status`: what the running lab of this folder is, for people, programs and shells. */
export function showStatus(
  files: LabFiles,
  { format }: { readonly format: StatusFormat },
): { readonly text: string; readonly isReady: boolean } {
  const supervisor = findSupervisor(files)
  const phase = supervisor?.phase ?? 'stopped'
  const message = supervisor?.message ?? 'no lab is running here'
  const manifest = phase === 'ready' ? readManifest(files) : undefined
  const isReady = manifest !== undefined
  if (format === 'json')
    return { text: `${JSON.stringify({ phase, message, ...manifest }, null, 2)}\n`, isReady }
  if (!manifest) return { text: format === 'env' ? `# ${message}\n` : `${message}\n`, isReady }
  const rows = toVariables(manifest)
  if (format === 'env')
    return { text: rows.map(([name, value]) => `${name}=${value}\n`).join(''), isReady }
  return { text: `${toTable({ rows })}\n`, isReady }
}

function toVariables({ services, apiKey, chains }: LabManifest): (readonly [string, string])[] {
  return [
    ['FORKYARD_ROUTING_URL', services.routing],
    ['FORKYARD_META_URL', services.meta],
    ['FORKYARD_RELAY_URL', services.relay],
    ['FORKYARD_OPS_URL', services.ops],
    ['FORKYARD_API_KEY', apiKey],
    ...Object.entries(chains).flatMap(([id, { rpcUrl }]) => {
      const chain = getChain(Number(id))
      return chain ? [[settingName(chain, 'RPC_URL'), rpcUrl] as const] : []
    }),
  ]
}
