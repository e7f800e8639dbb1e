import { Type } from 'typebox'
import { version } from '../runtime/version.ts'
import { adviseNext } from './adviseNext.ts'
import { type Connection, connect, type Target } from './connect.ts'
import { labTools } from './labTools.ts'
import { prompts } from './prompts.ts'
import { quoteTools } from './quoteTools.ts'
import { resources } from './resources.ts'
import { serviceTools } from './serviceTools.ts'
import type { Tool } from './tool.ts'

/** The server SDK, which is loaded by whoever serves. */
export type Sdk = typeof import('@modelcontextprotocol/server')
type Server = InstanceType<Sdk['McpServer']>

export type McpOptions = {
  readonly target: Target
  /** Outside a lab tools that send transactions exist only with it. */
  readonly allowSend: boolean
}

const instructions =
  'Quotes, simulations and executable transactions for token swaps. Amounts come in whole tokens with the raw ones beside. Nothing here signs: transactions are for the wallet of whoever asked.'

export function createMcpServer(sdk: Sdk, { target, allowSend }: McpOptions): Server {
  const server = new sdk.McpServer({ name: 'forkyard', version }, { instructions })
  const isLab = target.kind === 'lab'
  const mayCall: Readonly<Record<Tool['effect'], boolean>> = {
    reads: true,
    credits: true,
    sends: isLab || allowSend,
    lab: isLab,
  }
  for (const tool of [...quoteTools, ...serviceTools, ...labTools])
    if (mayCall[tool.effect]) addTool({ sdk, server, target }, tool)
  for (const resource of resources)
    if (isLab || !resource.isOfLab) {
      const { name, uri, title, mimeType, read } = resource
      server.registerResource(name, uri, { title, mimeType }, async () => {
        const text = await say(target, read)
        return { contents: [{ uri, mimeType, text }] }
      })
    }
  for (const prompt of prompts) addPrompt({ sdk, server }, prompt)
  return server
}

function addTool(
  { sdk, server, target }: { readonly sdk: Sdk; readonly server: Server; readonly target: Target },
  { name, title, description, input, effect, handle }: Tool,
) {
  const annotations = {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'sends' || effect === 'lab',
    openWorldHint: effect !== 'lab',
  }
  const inputSchema = sdk.fromJsonSchema(input)
  const config = { title, description, inputSchema, annotations }
  server.registerTool(name, config, async (given: unknown) => {
    try {
      const answer = await handle(await connect(target), given)
      const text = JSON.stringify(answer)
      return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
    } catch (error) {
      return { content: [{ type: 'text', text: adviseNext(error, target) }], isError: true }
    }
  })
}

function addPrompt(
  { sdk, server }: { readonly sdk: Sdk; readonly server: Server },
  { name, title, description, arguments: named, write }: (typeof prompts)[number],
) {
  const fields = Object.entries(named).map(
    ([field, what]) => [field, Type.String({ description: what })] as const,
  )
  const argsSchema = sdk.fromJsonSchema<Record<string, string>>(
    Type.Object(Object.fromEntries(fields)),
  )
  server.registerPrompt(name, { title, description, argsSchema }, (given) => ({
    messages: [{ role: 'user', content: { type: 'text', text: write(given) } }],
  }))
}

/** A resource has no place for advice but its error. */
async function say(target: Target, read: (connection: Connection) => Promise<string>) {
  try {
    return await read(await connect(target))
  } catch (error) {
    throw new Error(adviseNext(error, target), { cause: error })
  }
}
