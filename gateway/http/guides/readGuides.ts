import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Guide = {
  /** `start`, `reference/faults`: below `/docs/`. */
  readonly name: string
  readonly title: string
  readonly markdown: string
}

const docsDir = join(import.meta.dirname, '../../../docs')
/** In which they are told; whatever else there is comes after these. */
const told = 'start wallets agents ci lab operators production sources troubleshooting contributors'
const order = told.split(' ')

/** The pages that were brought along: none where somebody left them out. */
export function readGuides(dir = docsDir): readonly Guide[] {
  if (!existsSync(dir)) return []
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => path.replace(/\.md$/, ''))
  const placeOf = (name: string) => [...order, name].indexOf(name)
  return names
    .toSorted()
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((name) => toGuide(name, readFileSync(join(dir, `${name}.md`), 'utf8')))
}

export function toGuide(name: string, markdown: string): Guide {
  const [, title = name] = /^# (.*)$/m.exec(markdown) ?? []
  return { name, title, markdown }
}
