import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { sentenceOf } from '../state/session.ts'
import { Trouble, Wait } from './notes.tsx'

/** Does something to the lab, and says what came of it. */
export function Deed({
  label,
  submit,
  work,
  children,
}: {
  readonly label: string
  /** What its button says. */
  readonly submit: string
  /** Gets the form's fields by their names; resolves to what was done. */
  readonly work: (field: (name: string) => string) => Promise<string>
  readonly children?: ComponentChildren
}) {
  const note = useSignal('')
  const failure = useSignal('')
  async function send(event: SubmitEvent) {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    note.value = 'Working …'
    failure.value = ''
    try {
      note.value = await work((name) => String(form.get(name) ?? ''))
    } catch (error) {
      note.value = ''
      failure.value = sentenceOf(error)
    }
  }
  return (
    <form onSubmit={send} aria-label={label}>
      {children}
      <button type="submit">{submit}</button>
      {note.value !== '' && <Wait>{note.value}</Wait>}
      {failure.value !== '' && <Trouble>Nothing was changed: {failure.value}.</Trouble>}
    </form>
  )
}
