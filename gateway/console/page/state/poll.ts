import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { sentenceOf } from './session.ts'

/**
 * Asks again and again while the page is looked at, never twice at once; what was read last stays where
 * asking fails, with the sentence that says why.
 */
export function usePoll<value>(
  ask: (signal: AbortSignal) => Promise<value>,
  { everyMs, key = '' }: { readonly everyMs: number; readonly key?: string },
) {
  const read = useSignal<value | undefined>(undefined)
  const failure = useSignal<string | undefined>(undefined)
  // `key` says what is asked: `ask` is new at each render.
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    let timer: number | undefined
    async function look() {
      if (!document.hidden)
        try {
          const value = await ask(signal)
          if (signal.aborted) return
          read.value = value
          failure.value = undefined
        } catch (error) {
          if (signal.aborted) return
          failure.value = sentenceOf(error)
        }
      timer = setTimeout(look, everyMs)
    }
    void look()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [everyMs, key])
  return { read, failure }
}
