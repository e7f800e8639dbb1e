import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { escapeHtml, htmlPage } from './htmlPage.ts'
import type { Guide } from './readGuides.ts'

/** A guide as a page. Its links to other guides lead there; those to the repository's files are text alone. */
export function renderGuide({ name, title, markdown }: Guide, known: ReadonlySet<string>): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens)
        const to = toLink(href, { name, known })
        return to === undefined ? text : `<a href="${escapeHtml(to)}">${text}</a>`
      },
      // What is for those who read the source.
      html: () => '',
    },
  })
  const source = `<p><small><a href="/docs/${name}.md">Markdown</a></small></p>`
  // Without asynchronous extensions it answers at once.
  return htmlPage({ title, body: `${marked.parse(markdown, { async: false })}${source}` })
}

/** As forges make them, so that one link serves both. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

function toLink(
  href: string,
  { name, known }: { readonly name: string; readonly known: ReadonlySet<string> },
): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(name), file).replace(/\.md$/, '')
  if (!known.has(target)) return undefined
  return `/docs/${target}${anchor === undefined ? '' : `#${anchor}`}`
}
