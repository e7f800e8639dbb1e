import type { ComponentChildren } from 'preact'

/** What may be wider or longer than its place: scrolled by keyboard, too. */
export const Scroll = ({
  label,
  kind = 'scroll',
  children,
}: {
  readonly label: string
  readonly kind?: 'scroll' | 'flow' | 'events'
  readonly children: ComponentChildren
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls what has the focus.
  <section class={kind} aria-label={label} tabIndex={0}>
    {children}
  </section>
)
