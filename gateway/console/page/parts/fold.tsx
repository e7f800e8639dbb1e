import type { ComponentChildren } from 'preact'
import { look, place } from '../state/place.ts'

/** Shut until it is asked for; the address of the page tells which are open. */
export function Fold({
  name,
  summary,
  children,
}: {
  /** Unique on its page, without spaces. */
  readonly name: string
  readonly summary: ComponentChildren
  readonly children: ComponentChildren
}) {
  const names = (place.value.query.get('open') ?? '').split(' ').filter(Boolean)
  const isOpen = names.includes(name)
  function toggle({ currentTarget }: { readonly currentTarget: HTMLDetailsElement }) {
    if (currentTarget.open === isOpen) return
    const others = names.filter((other) => other !== name)
    look({ open: (isOpen ? others : [...others, name]).join(' ') })
  }
  return (
    <details open={isOpen} onToggle={toggle}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
