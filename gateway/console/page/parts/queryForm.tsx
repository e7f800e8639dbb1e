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
  const { page, query } = place.value
  function send(event: SubmitEvent) {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const fields = [...form].map(([name, value]) => [name, String(value)])
    go(page, { open: query.get('open') ?? '', ...Object.fromEntries(fields) })
  }
  return (
    <form onSubmit={send} key={askedOf(query)}>
      {children}
      <button type="submit">{submit}</button>
    </form>
  )
}

export function ChainField() {
  return (
    <label>
      Chain
      <select name="chain" value={String(chainOf(place.value.query))}>
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
  return (
    <label>
      {label}
      <input
        {...attributes}
        type="text"
        name={name}
        data-search={isSearch ? '' : undefined}
        autocomplete="off"
        value={place.value.query.get(name) ?? ''}
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
  const isTicked = place.value.query.get(name) === value
  return (
    <label class="inline">
      <input name={name} type="checkbox" value={value} checked={isTicked} />
      {label}
    </label>
  )
}
