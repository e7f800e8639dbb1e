import type { TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import type { Guide } from './guides/readGuides.ts'
import { describeType, listFields, type Shape } from './listFields.ts'
import type { Page } from './renderDocs.ts'

/** llmstxt.org: what there is, and where it is read. */
export function renderLlms(page: Page, guides: readonly Guide[]): string {
  const rows = page.endpoints.map((each) => `- \`${nameOf(each)}\`: ${each.summary}`)
  const pages = guides.map(({ name, title }) => `- [${title}](/docs/${name}.md)\n`)
  return `${renderHead(page)}
## Documents

- [OpenAPI 3.1](/openapi.json): every schema, status and example
- [All of it](/llms-full.txt): endpoints and guides in one Markdown file
- [For people](/docs): the same as a page
${pages.join('')}
## Tools

- \`npx forkyard mcp\`: these endpoints as tools of the Model Context Protocol, amounts in whole tokens
- \`forkyard/client\`: a typed client for browsers and Node

## Endpoints

${rows.join('\n')}
`
}

/** All of it in one file, for a model that reads no links. */
export const renderLlmsFull = (page: Page, guides: readonly Guide[]): string =>
  [renderEndpoints(page), ...guides.map(({ markdown }) => markdown)].join('\n')

/** Fields, examples and errors of each. */
export const renderEndpoints = (page: Page): string =>
  `${renderHead(page)}\n${page.endpoints.map(renderEndpoint).join('\n')}`

const renderHead = ({ title, version, description }: Page) =>
  `# ${title} ${version}\n\n> ${description}\n`

const nameOf = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${path}`

function renderEndpoint(endpoint: Endpoint): string {
  const { summary, description = '', auth, isCharged, params, query, input, output } = endpoint
  const { errors = {}, examples } = endpoint
  const key = auth === 'key' ? 'Needs the header X-API-Key' : 'No key needed'
  const statuses = Object.entries(errors).map(([status, meaning]) => `- ${status}: ${meaning}`)
  return [
    `## ${nameOf(endpoint)}\n`,
    `${summary}. ${description}`.trim(),
    `\n${key}${isCharged ? ', uses quota' : ''}.\n`,
    ...renderFields('Path', params),
    ...renderFields('Query', query),
    ...renderFields('Body', input),
    ...renderExample('Example body', examples?.input),
    ...renderFields('Answer', output),
    ...(statuses.length > 0 ? ['### Errors of its own\n', ...statuses, ''] : []),
  ].join('\n')
}

function renderFields(title: string, schema: TSchema | undefined): readonly string[] {
  const fields = schema ? listFields(schema as Shape) : []
  if (fields.length === 0) return []
  const rows = fields.map(([field, shape, isRequired]) => {
    const optional = isRequired ? '' : ', optional'
    const about = shape.description ? `: ${shape.description}` : ''
    return `- \`${field}\` (${describeType(shape)}${optional})${about}`
  })
  return [`### ${title}\n`, ...rows, '']
}

const renderExample = (title: string, example: unknown): readonly string[] =>
  example === undefined
    ? []
    : [`### ${title}\n`, '```json', JSON.stringify(example, null, 2), '```', '']
