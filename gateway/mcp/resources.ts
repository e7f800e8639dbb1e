import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from './connect.ts'

type Resource = {
  readonly name: string
  readonly uri: string
  readonly title: string
  readonly mimeType: string
  /** Absent where there is no lab. */
  readonly isOfLab?: boolean
  readonly read: (connection: Connection) => Promise<string>
}

const json = 'application/json'

/** Pages that the package brings, where it brings any. */
const docsDir = join(import.meta.dirname, '..', '..', 'docs')
const pages = existsSync(docsDir) ? readdirSync(docsDir).filter((name) => name.endsWith('.md')) : []

export const resources: readonly Resource[] = [
  {
    name: 'manifest',
    uri: 'forkyard://manifest',
    title: 'The lab: URLs, key, contracts, tokens and funded accounts',
    mimeType: json,
    isOfLab: true,
    read: async ({ lab }) => {
      if (!lab) throw new Error('a manifest was asked for without a lab')
      // What commands the lab is for its tools alone.
      const { adminToken: _, chains, ...manifest } = lab.manifest
      const open = Object.entries(chains).map(([id, { adminRpcUrl: __, ...chain }]) => [id, chain])
      return JSON.stringify({ ...manifest, chains: Object.fromEntries(open) })
    },
  },
  ...(['routing', 'meta', 'relay'] as const).map(
    (service): Resource => ({
      name: `openapi-${service}`,
      uri: `forkyard://openapi/${service}`,
      title: `OpenAPI document of the ${service} service`,
      mimeType: json,
      read: ({ client }) => readText(`${client.services[service]}/openapi.json`),
    }),
  ),
  {
    name: 'llms-full',
    uri: 'forkyard://docs/llms-full.txt',
    title: 'Every endpoint of the routing service, and the guides, in Markdown',
    mimeType: 'text/markdown',
    read: ({ client }) => readText(`${client.services.routing}/llms-full.txt`),
  },
  ...pages.map(
    (page): Resource => ({
      name: `docs-${page.replace(/\.md$/, '')}`,
      uri: `forkyard://docs/${page}`,
      title: `Documentation: ${page}`,
      mimeType: 'text/markdown',
      read: async () => readFileSync(join(docsDir, page), 'utf8'),
    }),
  ),
]

async function readText(url: string): Promise<string> {
  const response = await fetch(url)
  if (response.ok) return response.text()
  throw new Error(`${url} answered ${response.status}`)
}
