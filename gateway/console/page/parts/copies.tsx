import { useSignal } from '@preact/signals'
import type { Quote } from '../../../client/wire/routing.ts'
import { client, sentenceOf } from '../state/session.ts'
import { decode } from '../state/wallet.ts'
import { Trouble, Wait } from './notes.tsx'
import type { Order } from './orderForm.tsx'
import { Scroll } from './scroll.tsx'

const forms = ['curl', 'client code', 'calldata', 'calldata decoded'] as const
type Form = (typeof forms)[number]

function write(form: Exclude<Form, 'calldata decoded'>, quote: Quote, { request }: Order): string {
  const url = `${client.value?.services.routing}/quote`
  if (form === 'curl') {
    const body = JSON.stringify(request).replaceAll("'", "'\\''")
    return `curl -s ${url} -H 'content-type: application/json' -H "x-api-key: $KEY" -d '${body}'`
  }
  if (form === 'calldata') return quote.execution?.calldata ?? 'this route has no payload'
  return `import { createClient } from 'forkyard/client'

const client = createClient({ services: ${JSON.stringify(client.value?.services, null, 2)}, apiKey: process.env.KEY })
const quote = await client.routing.quote(${JSON.stringify(request, null, 2)})`
}

/** The same quote for a shell, a program and a wallet. */
export function Copies({ quote, order }: { readonly quote: Quote; readonly order: Order }) {
  const shown = useSignal<{ readonly form: Form; readonly text: string } | undefined>(undefined)
  const note = useSignal('')
  const failure = useSignal('')
  async function show(form: Form) {
    failure.value = ''
    note.value = ''
    try {
      if (form === 'calldata decoded') {
        const data = quote.execution?.calldata
        if (!data) throw new Error('this route has no payload')
        note.value = 'Decoding …'
        // The document says that calldata is hex.
        shown.value = { form, text: await decode(data as `0x${string}`) }
        note.value = ''
        return
      }
      const text = write(form, quote, order)
      shown.value = { form, text }
      await navigator.clipboard.writeText(text)
      note.value = `Copied as ${form}.`
    } catch (error) {
      note.value = ''
      failure.value = sentenceOf(error)
    }
  }
  return (
    <section aria-label="Copy">
      <h2>Copy</h2>
      <div class="row">
        {forms.map((form) => (
          <button key={form} type="button" onClick={() => show(form)}>
            As {form}
          </button>
        ))}
      </div>
      {note.value !== '' && <Wait>{note.value}</Wait>}
      {failure.value !== '' && <Trouble>Not copied: {failure.value}. Take it from below.</Trouble>}
      {shown.value && (
        <Scroll label={shown.value.form}>
          <pre>{shown.value.text}</pre>
        </Scroll>
      )}
    </section>
  )
}
