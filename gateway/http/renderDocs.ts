import type { TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { describeType, listFields, type Shape } from './listFields.ts'

export type Page = {
  readonly title: string
  readonly description: string
  readonly version: string
  readonly endpoints: readonly Endpoint[]
}

/** A page a person can read, with nothing loaded from elsewhere. */
export function renderDocs({ title, description, version, endpoints }: Page): string {
  const list = endpoints
    .map(
      (each) =>
        `<li><a href="#${anchor(each)}"><code>${name(each)}</code></a> ${escapeHtml(each.summary)}</li>`,
    )
    .join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>
<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)}</p>
<p>Machine-readable: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), <a href="/llms.txt">llms.txt</a></p>
<ul>${list}</ul>
${endpoints.map(renderEndpoint).join('\n')}
</body></html>`
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2024;background:#fff}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:#f4f5f7;padding:.8rem;overflow:auto;border-radius:6px}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #dfe3e8;padding:.35rem .5rem;text-align:left;vertical-align:top}
section{border-top:2px solid #dfe3e8;margin-top:2rem}small{color:#60646c}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#e6e8eb}pre{background:#22262a}a{color:#7db7ff}}`

const name = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${escapeHtml(path)}`
const anchor = ({ method, path }: Endpoint) => `${method}${path.replaceAll(/\W+/g, '-')}`

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

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
