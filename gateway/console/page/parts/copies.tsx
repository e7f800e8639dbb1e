import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Quote } from '../../../client/wire/routing.ts'
import { look, place } from '../state/place.ts'
import { client, sentenceOf } from '../state/session.ts'
import { decode } from '../state/wallet.ts'
import { Trouble, Wait } from './notes.tsx'
import type { Order } from './orderForm.tsx'
import { Scroll } from './scroll.tsx'

const forms = ['curl', 'client code', 'calldata', 'calldata decoded'] as const
type Form = (typeof forms)[number]

async function write(form: Form, quote: Quote, { request }: Order): Promise<string> {
  const url = `${client.value?.services.routing}/quote`
  if (form === 'curl') {
    const body = JSON.stringify(request).replaceAll("'", "'\\''")
    return `curl -s ${url} -H 'content-type: application/json' -H "x-api-key: $KEY" -d '${body}'`
  }
  if (form !== 'client code') {
    const { calldata } = quote.execution ?? {}
    if (calldata === undefined) throw new Error('this route has no payload')
    // The document says that it is hex.
    return form === 'calldata' ? calldata : decode(calldata as `0x${string}`)
  }
  return `import { createClient } from 'forkyard/client'

const client = createClient({ services: ${JSON.stringify(client.value?.services, null, 2)}, apiKey: process.env.KEY })
const quote = await client.routing.quote(${JSON.stringify(request, null, 2)})`
}

/** The same quote for a shell, a program and a wallet. */
export function Copies({ quote, order }: { readonly quote: Quote; readonly order: Order }) {
  const form = forms.find((one) => one === place.value.query.get('copy'))
  const text = useSignal<string | undefined>(undefined)
  const note = useSignal('')
  const failure = useSignal('')
  useEffect(() => {
    text.value = undefined
    if (form)
      write(form, quote, order).then(
        (written) => {
          text.value = written
        },
        (error: unknown) => {
          failure.value = `Not written: ${sentenceOf(error)}.`
        },
      )
  }, [form, quote])
  async function copy(wanted: Form) {
    failure.value = ''
    note.value = ''
    look({ copy: wanted })
    try {
      const written = await write(wanted, quote, order)
      // Browsers have it on localhost and by https only.
      if (!navigator.clipboard)
        throw new Error('this browser copies on localhost and by https only')
      await navigator.clipboard.writeText(written)
      note.value = `Copied as ${wanted}.`
    } catch (error) {
      failure.value = `Not copied: ${sentenceOf(error)}. Take it from below.`
    }
  }
  return (
    <section aria-label="Copy">
      <h2>Copy</h2>
      <div class="row">
        {forms.map((one) => (
          <button key={one} type="button" aria-pressed={one === form} onClick={() => copy(one)}>
            As {one}
          </button>
        ))}
      </div>
      {note.value !== '' && <Wait>{note.value}</Wait>}
      {failure.value !== '' && <Trouble>{failure.value}</Trouble>}
      {form && text.value === undefined && failure.value === '' && <Wait>Writing it …</Wait>}
      {form && text.value !== undefined && (
        <Scroll label={form}>
          <pre>{text.value}</pre>
        </Scroll>
      )}
    </section>
  )
}
