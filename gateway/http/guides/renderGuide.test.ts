import { assert, suite } from '../../../fixtures/test.ts'
import { toGuide } from './readGuides.ts'
import { renderGuide } from './renderGuide.ts'
import { searchGuides } from './searchGuides.ts'

const s = suite('http/guides')
const text = `# A <b>guide</b>

<!-- for the runner -->
<script>alert(1)</script>

## What is \`told\`

[other](../other.md#there) [file](../../README.md) [out](https://example.org) [here](#what-is-told)

\`\`\`sh not-run="no"
## no heading
\`\`\`
`
const guide = toGuide('reference/one', text)

s('keeps links between guides, names no file that is not served, runs nothing', () => {
  const page = renderGuide(guide, new Set(['other']))
  assert.match(page, '<h2 id="what-is-told">What is <code>told</code></h2>')
  assert.match(
    page,
    '<a href="/docs/other#there">other</a> file <a href="https://example.org">out</a>',
  )
  assert.match(page, '<a href="#what-is-told">here</a>')
  assert.not.match(page, /<script|<!-- for|<b>/)
  assert.match(page, '<title>A &lt;b&gt;guide&lt;/b&gt;</title>')
})
s('finds the sections that have every word, headings first', () => {
  const rows = toGuide('two', '# Two\n\ntold there\n\n## Later\n\n| `a` | told |\n| `b` | told |')
  const find = (asked: string) => searchGuides([guide, rows], asked).map(({ path }) => path)
  assert.equal(find('Told'), ['/docs/reference/one#what-is-told', '/docs/two#later', '/docs/two'])
  assert.equal(find('told there'), ['/docs/reference/one#what-is-told', '/docs/two'])
  assert.equal(find('told nowhere'), [])
  assert.equal(find('  '), [])
  assert.is(searchGuides([rows], '`b`')[0]?.line, '| `b` | told |')
})
s('takes nothing in a block of code for a heading, and what follows it for one', () => {
  const markdown = '# Three\n\n```\n## Shell\n```\n\n## After\n\nwords'
  const found = searchGuides([toGuide('three', markdown)], 'shell')
  assert.equal(
    found.map(({ path }) => path),
    ['/docs/three'],
  )
  assert.is(searchGuides([toGuide('three', markdown)], 'words')[0]?.heading, 'After')
})
s.run()
