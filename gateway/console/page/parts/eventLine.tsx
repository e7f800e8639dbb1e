import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { LiveEvent } from '../../../client/wire/ops.ts'
import { place } from '../state/place.ts'
import { ops, sentenceOf } from '../state/session.ts'
import { Empty, Trouble } from './notes.tsx'
import { Scroll } from './scroll.tsx'

const mostKept = 100
const againMs = 3_000

/** What this page asks itself is no news to who looks at it. */
const ownRequests = /^routing (?:\/health|\/api\/(?:status|chains|tokens)|unmatched)$/

type Kept = LiveEvent & { readonly number: number; readonly time: string }

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** What happens, newest first; what is older than the last hundred is forgotten. */
export function EventLine() {
  const kept = useSignal<readonly Kept[]>([])
  const failure = useSignal('')
  const leftOut = useSignal(0)
  const words = (place.value.query.get('events') ?? '').toLowerCase()
  useEffect(() => {
    const leaving = new AbortController()
    let count = 0
    let timer: number | undefined
    async function watch() {
      try {
        for await (const { events, more } of ops.events({ signal: leaving.signal })) {
          failure.value = ''
          const news = events.filter(({ what }) => !ownRequests.test(what))
          const told = news.map((event) => ({
            ...event,
            number: count++,
            time: clock.format(event.atMs),
          }))
          leftOut.value += more
          kept.value = [...told.reverse(), ...kept.value].slice(0, mostKept)
        }
      } catch (error) {
        if (leaving.signal.aborted) return
        failure.value = sentenceOf(error)
      }
      if (!leaving.signal.aborted) timer = setTimeout(watch, againMs)
    }
    void watch()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [])
  const shown = kept.value.filter(({ kind, what }) =>
    `${kind} ${what}`.toLowerCase().includes(words),
  )
  return (
    <section aria-label="Events">
      <h2>Events</h2>
      {failure.value !== '' && <Trouble>The line of events is cut: {failure.value}.</Trouble>}
      {kept.value.length === 0 && <Empty>Nothing has happened since this page was opened.</Empty>}
      {kept.value.length > 0 && shown.length === 0 && (
        <Empty>None of the last {kept.value.length} has these words.</Empty>
      )}
      {leftOut.value > 0 && (
        <p class="small">
          <span class="figure">{leftOut.value}</span> more came faster than they are told.
        </p>
      )}
      <Scroll kind="events" label="What happened, newest first">
        <ol>
          {shown.map((event) => (
            <li key={event.number}>
              <time class="figure">{event.time}</time> {event.kind} {event.chainId} {event.what}{' '}
              {event.status} {event.durationMs !== undefined && `${event.durationMs.toFixed(1)} ms`}
            </li>
          ))}
        </ol>
      </Scroll>
    </section>
  )
}
