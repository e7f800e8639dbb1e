import type { ComponentChildren } from 'preact'

type Props = { readonly children: ComponentChildren }

export const Wait = ({ children }: Props) => (
  <p class="wait" role="status">
    {children}
  </p>
)

export const Trouble = ({ children }: Props) => (
  <p class="trouble" role="alert">
    {children}
  </p>
)

export const Empty = ({ children }: Props) => <p class="empty">{children}</p>
