import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { askedOf, go, place } from '../state/place.ts'
import { gateway } from '../state/session.ts'

export const chainOf = (query: URLSearchParams) =>
  Number(query.get('chain') ?? gateway.value?.chains[0]?.chainId ?? 0)

/** Writes its fields into the address of the page, so that what is asked can be linked to. */
export function QueryForm({
  submit,
  children,
}: {
  /** What its button says. */
  readonly submit: string
  readonly children: ComponentChildren
}) {
  function send(event: SubmitEvent) {
    event.preventDefault()
    const { page, query } = place.value
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const fields = [...form].map(([name, value]) => [name, String(value)])
    go(page, { open: query.get('open') ?? '', ...Object.fromEntries(fields) })
  }
  return (
    <form onSubmit={send} key={askedOf(place.value.query)}>
      {children}
      <button type="submit">{submit}</button>
    </form>
  )
}

/** Of the address. Another part of it is no news to a field: what is being typed into it stays. */
const useQuery = <T,>(read: (query: URLSearchParams) => T) =>
  useComputed(() => read(place.value.query)).value

export function ChainField() {
  const chainId = useQuery(chainOf)
  return (
    <label>
      Chain
      <select name="chain" value={String(chainId)}>
        {gateway.value?.chains.map((chain) => (
          <option key={chain.chainId} value={String(chain.chainId)}>
            {chain.name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A line of text, as it stands in the address of the page. */
export function TextField({
  name,
  label,
  ...rest
}: {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly list?: string
  readonly inputMode?: 'decimal' | 'numeric'
  readonly required?: boolean
  /** Where `/` goes. */
  readonly isSearch?: boolean
}) {
  const { isSearch = false, ...attributes } = rest
  const value = useQuery((query) => query.get(name) ?? '')
  return (
    <label>
      {label}
      <input
        {...attributes}
        type="text"
        name={name}
        data-search={isSearch ? '' : undefined}
        autocomplete="off"
        value={value}
      />
    </label>
  )
}

/** In the address only where it is ticked. */
export function TickField({
  name,
  label,
  value = 'on',
}: {
  readonly name: string
  readonly label: string
  readonly value?: string
}) {
  const isTicked = useQuery((query) => query.get(name) === value)
  return (
    <label class="inline">
      <input name={name} type="checkbox" value={value} checked={isTicked} />
      {label}
    </label>
  )
}
