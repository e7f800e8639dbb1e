import type { ComponentChildren } from 'preact'
import { look, place } from '../state/place.ts'

const openOnes = () => (place.value.query.get('open') ?? '').split(' ').filter(Boolean)

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
  function toggle({ currentTarget: { open } }: { readonly currentTarget: HTMLDetailsElement }) {
    const names = openOnes()
    if (open === names.includes(name)) return
    look({ open: (open ? [...names, name] : names.filter((other) => other !== name)).join(' ') })
  }
  return (
    <details open={openOnes().includes(name)} onToggle={toggle}>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
