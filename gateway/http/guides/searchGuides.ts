import type { Guide } from './readGuides.ts'
import { anchorOf } from './renderGuide.ts'

export type Found = {
  readonly path: string
  readonly title: string
  readonly heading: string
  /** The first line that has a word of the question. */
  readonly line: string
}

const mostFound = 30
/** A word of a heading says more than one of the text. */
const headingWeight = 10

/** Sections that have every word, the best first. */
export function searchGuides(guides: readonly Guide[], asked: string): readonly Found[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  return guides
    .flatMap((guide) => toSections(guide).map((section) => ({ guide, ...section })))
    .map((section) => ({ ...section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, mostFound)
    .map(({ guide: { name, title }, heading, lines }) => ({
      path: `${guidePath(name)}${heading === title ? '' : `#${anchorOf(heading)}`}`,
      title,
      heading,
      line: lines.find((line) => has(line, words[0] ?? '')) ?? '',
    }))
}

/** What a service says of itself stands on the first page. */
const guidePath = (name: string) => (name === '' ? '/docs' : `/docs/${name}`)

type Section = { readonly heading: string; readonly lines: readonly string[] }

/** A row or paragraph is a line; what stands in a block of code is no heading. */
function toSections({ title, markdown }: Guide): readonly Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: title, lines: [] }]
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const [, heading] = isCode ? [] : (/^## (.*)$/.exec(line) ?? [])
    if (heading === undefined) sections.at(-1)?.lines.push(line)
    else sections.push({ heading, lines: [] })
  }
  return sections
}

const has = (text: string, word: string) => text.toLowerCase().includes(word)

function scoreOf({ heading, lines }: Section, words: readonly string[]): number {
  const scores = words.map(
    (word) =>
      (has(heading, word) ? headingWeight : 0) + lines.filter((line) => has(line, word)).length,
  )
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}
