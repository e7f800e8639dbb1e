import type { ComponentChildren } from 'preact'
import { Scroll } from './scroll.tsx'

/** Rows under their heads, scrolled by themselves where the page is narrower. */
export const Table = ({
  label,
  caption,
  head,
  children,
}: {
  readonly label: string
  readonly caption?: string
  /** Of each column; `#` before it says that figures stand below. */
  readonly head: readonly string[]
  /** The rows. */
  readonly children: ComponentChildren
}) => (
  <Scroll label={label}>
    <table>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col" class={name.startsWith('#') ? 'figure' : ''}>
              {name.replace(/^#/, '')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </Scroll>
)

/** A cell with an address or the like: its ends, and all of it for who looks closer. */
export const Hash = ({ value }: { readonly value: string }) => (
  <td class="hash" title={value}>
    {value.slice(0, 10)}…{value.slice(-4)}
  </td>
)
