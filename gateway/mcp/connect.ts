import {
  type Client,
  createClient,
  createLab,
  type Lab,
  type Ops,
  readManifest,
} from '../client/index.ts'
import { readTokenBook, type TokenBook } from './tokenBook.ts'

/** What the tools work on: a lab, or the services of any gateway. */
export type Target =
  | { readonly kind: 'lab'; readonly opsUrl: string }
  | {
      readonly kind: 'gateway'
      readonly services: { readonly routing: string; readonly meta: string; readonly relay: string }
      readonly apiKey: string | undefined
    }

export type Connection = {
  readonly client: Client
  readonly book: TokenBook
  readonly lab: { readonly control: Lab; readonly manifest: Ops.LabManifest } | undefined
}

const clientId = 'forkyard-mcp'

/** Anew for every call: a lab that was started meanwhile has another key and other ports. */
export async function connect(target: Target): Promise<Connection> {
  if (target.kind === 'gateway') {
    const client = createClient({ ...target, clientId })
    return { client, book: await readTokenBook(client), lab: undefined }
  }
  const manifest = await readManifest(target.opsUrl)
  const client = createClient({ ...manifest, clientId })
  const lab = { control: createLab(manifest), manifest }
  return { client, book: await readTokenBook(client, manifest), lab }
}
