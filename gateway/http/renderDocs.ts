import type { TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { escapeHtml, htmlPage } from './guides/htmlPage.ts'
import type { Guide } from './guides/readGuides.ts'
import { anchorOf } from './guides/renderGuide.ts'
import type { Found } from './guides/searchGuides.ts'
import { describeType, listFields, type Shape } from './listFields.ts'

export type Page = {
  readonly title: string
  readonly description: string
  readonly version: string
  readonly endpoints: readonly Endpoint[]
}

/** A page a person can read, with nothing loaded from elsewhere. */
export function renderDocs(
  { title, description, version, endpoints }: Page,
  guides: readonly Guide[],
): string {
  const list = endpoints
    .map(
      (each) =>
        `<li><a href="#${anchor(each)}"><code>${name(each)}</code></a> ${escapeHtml(each.summary)}</li>`,
    )
    .join('\n')
  const pages = guides.map(
    (guide) => `<li><a href="/docs/${guide.name}">${escapeHtml(guide.title)}</a></li>`,
  )
  return htmlPage({
    title,
    body: `<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)}</p>
<p>Machine-readable: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), <a href="/llms.txt">llms.txt</a></p>
${pages.length === 0 ? '' : `<h2>Pages</h2><ul>${pages.join('\n')}</ul>`}
<h2>Endpoints</h2>
<ul>${list}</ul>
${endpoints.map(renderEndpoint).join('\n')}`,
  })
}

/** What was found of a question. */
export function renderFound(asked: string, found: readonly Found[]): string {
  const rows = found.map(
    ({ path, title, heading, line }) =>
      `<li><a href="${escapeHtml(path)}">${escapeHtml(heading)}</a> <small>${escapeHtml(title)}</small><br>${escapeHtml(line.slice(0, mostOfLine))}</li>`,
  )
  const body =
    rows.length === 0 ? `<p>Nothing has all of these words.</p>` : `<ol>${rows.join('\n')}</ol>`
  return htmlPage({ title: `Search: ${asked}`, body, asked })
}

const mostOfLine = 300
const name = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${escapeHtml(path)}`
const anchor = ({ method, path }: Endpoint) => anchorOf(`${method} ${path}`)

function renderEndpoint(endpoint: Endpoint): string {
  const { summary, description = '', auth, isCharged, params, query, input, output } = endpoint
  const key = auth === 'key' ? 'Needs X-API-Key' : 'No key needed'
  return `<section id="${anchor(endpoint)}"><h2><code>${name(endpoint)}</code></h2>
<p>${escapeHtml(summary)}. ${escapeHtml(description)} <small>${key}${isCharged ? ', uses quota' : ''}.</small></p>
${renderFields('Path', params)}${renderFields('Query', query)}${renderFields('Body', input)}
${renderExample('Example body', endpoint.examples?.input)}${renderFields('Answer', output)}
${renderExample('Example answer', endpoint.examples?.output)}${renderErrors(endpoint)}</section>`
}

function renderFields(title: string, schema: TSchema | undefined): string {
  if (!schema) return ''
  const rows = listFields(schema as Shape).map(
    ([field, shape, isRequired]) =>
      `<tr><td><code>${escapeHtml(field)}</code>${isRequired ? '' : ' <small>optional</small>'}</td><td>${escapeHtml(describeType(shape))}</td><td>${escapeHtml(shape.description ?? '')}</td></tr>`,
  )
  if (rows.length === 0) return ''
  return `<h3>${title}</h3><table><tr><th>Field</th><th>Type</th><th></th></tr>${rows.join('')}</table>`
}

function renderErrors({ errors = {} }: Endpoint): string {
  const rows = Object.entries(errors).map(
    ([status, meaning]) => `<tr><td>${status}</td><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return rows.length === 0 ? '' : `<h3>Errors of its own</h3><table>${rows.join('')}</table>`
}

const renderExample = (title: string, example: unknown) =>
  example === undefined
    ? ''
    : `<h3>${title}</h3><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`
