import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { toGuide } from './guides/readGuides.ts'
import { searchGuides } from './guides/searchGuides.ts'
import { describeType, listFields } from './listFields.ts'
import { renderDocs, renderFound } from './renderDocs.ts'
import { renderLlms, renderLlmsFull } from './renderLlms.ts'

const s = suite('http/renderDocs')
const bare = endpoint({
  method: 'get',
  path: '/a',
  summary: 'Bare',
  output: Type.Object({}),
  auth: 'none',
  handle: async () => ({}),
})
const full = endpoint({
  method: 'post',
  path: '/b/:id',
  summary: 'Full <one>',
  description: 'Says more.',
  params: Type.Object({ id: Type.Integer() }),
  query: Type.Object({ deep: Type.Optional(Type.Boolean({ default: false })) }),
  input: Type.Object({
    kind: Type.Unsafe<string>({ type: 'string', enum: ['x', 'y'], description: 'Which' }),
    rows: Type.Array(
      Type.Object({ at: Type.Unsafe<string>({ type: 'string', format: 'address' }) }),
    ),
    inner: Type.Optional(Type.Object({ some: Type.Unsafe({}) })),
  }),
  output: Type.Object({ ok: Type.Boolean() }),
  auth: 'key',
  cost: 2,
  errors: { 404: 'Not there' },
  examples: { input: { kind: 'x' }, output: { ok: true } },
  handle: async () => ({ ok: true }),
})
const page = (endpoints: readonly (typeof bare)[]) => ({
  title: 'T',
  description: 'D',
  version: '1',
  endpoints,
})

s('lists fields at every depth, by what they may be [teeth/docs]', () => {
  const rows = listFields(full.input as never).map(([field, shape, isRequired]) => [
    field,
    describeType(shape),
    isRequired,
  ])
  assert.equal(rows, [
    ['kind', 'string: x, y', true],
    ['rows', 'array of object', true],
    ['rows[].at', 'string (address)', true],
    ['inner', 'object', false],
    ['inner.some', 'any', true],
  ])
  assert.is(
    describeType({ type: ['string', 'null'], default: null }),
    'string or null, default null',
  )
})
s('shows of an endpoint what it has, and no heading over nothing [teeth/docs]', () => {
  const headings = (html: string) => [...html.matchAll(/<h3>([^<]*)</g)].map(([, text]) => text)
  const empty = renderDocs(page([bare]), [])
  assert.equal(headings(empty), [])
  assert.not.match(empty, /<h2>Pages|undefined/)
  assert.match(empty, '<h2><code>GET /a</code></h2>\n<p>Bare.  <small>No key needed.</small></p>')
  const html = renderDocs(page([full]), [toGuide('g', '# G <b>\n')])
  assert.equal(headings(html), [
    'Path',
    'Query',
    'Body',
    'Example body',
    'Answer',
    'Example answer',
    'Errors of its own',
  ])
  assert.match(html, '<li><a href="#post-bid"><code>POST /b/:id</code></a> Full &lt;one&gt;</li>')
  assert.match(html, '<h2>Pages</h2><ul><li><a href="/docs/g">G &lt;b&gt;</a></li></ul>')
  assert.match(html, 'Full &lt;one&gt;. Says more. <small>Needs X-API-Key, uses quota.</small>')
  assert.match(
    html,
    '<code>deep</code> <small>optional</small></td><td>boolean, default false</td>',
  )
  assert.match(html, '<code>kind</code></td><td>string: x, y</td><td>Which</td>')
  assert.match(html, '<pre>{\n  &quot;kind&quot;: &quot;x&quot;\n}</pre>')
  assert.match(html, '<tr><td>404</td><td>Not there</td></tr>')
})
s('tells models the same in Markdown [teeth/docs]', () => {
  const guide = toGuide('g', '# G\ntext\n')
  const whole = renderLlmsFull(page([bare, full]), [guide])
  assert.match(whole, '# T 1\n\n> D\n\n## GET /a\n\nBare.\n\nNo key needed.\n')
  assert.not.match(whole, 'undefined')
  assert.match(
    whole,
    '## POST /b/:id\n\nFull <one>. Says more.\n\nNeeds the header X-API-Key, uses quota.\n',
  )
  assert.match(whole, '### Query\n\n- `deep` (boolean, default false, optional)\n')
  assert.match(whole, '- `kind` (string: x, y): Which\n')
  assert.match(whole, '### Example body\n\n```json\n{\n  "kind": "x"\n}\n```\n')
  assert.match(whole, '### Errors of its own\n\n- 404: Not there\n')
  assert.ok(whole.endsWith('# G\ntext\n'))
  // A heading for each that has fields, and an example where there is one.
  assert.is(whole.match(/^### /gm)?.length, 6)
  assert.match(renderLlms(page([full]), [guide]), '- [G](/docs/g.md)\n')
})

const guides = [
  toGuide(
    'one',
    '# First\nintro apple\n## Pears\nan apple\na Pear and an APPLE\n```\n## Code apple\n```\nend',
  ),
  toGuide('two', '# Apple\nnothing here\n'),
]
s('finds sections with every word, headings first [teeth/search]', () => {
  const found = searchGuides(guides, '  APPLE ')
  assert.equal(
    found.map(({ path, heading, line }) => [path, heading, line]),
    [
      ['/docs/two', 'Apple', '# Apple'],
      ['/docs/one#pears', 'Pears', 'an apple'],
      ['/docs/one', 'First', 'intro apple'],
    ],
  )
  assert.equal(
    searchGuides(guides, 'pear apple').map(({ heading, line }) => [heading, line]),
    [['Pears', 'a Pear and an APPLE']],
  )
  assert.equal([searchGuides(guides, ''), searchGuides(guides, 'apple plum')], [[], []])
})
s('finds thirty sections and no more [teeth/search]', () => {
  const many = toGuide('many', Array.from({ length: 31 }, (_, at) => `## ${at}\nplum`).join('\n'))
  assert.is(searchGuides([many], 'plum').length, 30)
})
s('shows what was found, its line cut at three hundred characters [teeth/search]', () => {
  const row = { path: '/docs/a', title: 'A', heading: 'H', line: `<${'x'.repeat(400)}` }
  const html = renderFound('q', [row])
  assert.match(html, `<br>&lt;${'x'.repeat(299)}</li>`)
  assert.not.match(html, 'Nothing has')
  assert.match(renderFound('q', []), '<p>Nothing has all of these words.</p>')
})
s.run()
