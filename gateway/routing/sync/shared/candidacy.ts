import { setTimeout as wait } from 'node:timers/promises'
import type { Coordination, Leadership } from '../../../store/coordination.ts'

type Candidacy =
  | { readonly status: 'idle' | 'resting' | 'closed' }
  | {
      readonly status: 'standing'
      readonly leadership: Leadership
      /** Since when this gateway is the elected one; undefined: another is. */
      readonly term: number | undefined
    }

/** Stands again after this. */
const restMs = 2_000

/** Stands for one election, again and again until closed. */
export function createCandidacy({
  coordination,
  name,
  won,
  lost,
}: {
  readonly coordination: Coordination
  readonly name: string
  readonly won: (term: number) => void
  /** Elected no longer, or about to rest. */
  readonly lost: () => void
}) {
  const closing = new AbortController()
  let candidacy: Candidacy = { status: 'idle' }

  function stand(): void {
    const leadership = coordination.elect({
      name,
      won(term) {
        if (candidacy.status !== 'standing') return
        candidacy = { ...candidacy, term }
        won(term)
      },
      lost() {
        if (candidacy.status === 'standing') candidacy = { ...candidacy, term: undefined }
        lost()
      },
    })
    candidacy = { status: 'standing', leadership, term: undefined }
  }

  return {
    /** Asked again, it stands no second time: twice, one would never lead. */
    begin(): 'begun' | 'had begun' {
      if (candidacy.status !== 'idle') return 'had begun'
      stand()
      return 'begun'
    },
    holds: (term: number) => candidacy.status === 'standing' && candidacy.term === term,
    /** Lets another gateway lead, and stands again later. */
    async rest(): Promise<void> {
      if (candidacy.status !== 'standing') return
      const { leadership } = candidacy
      candidacy = { status: 'resting' }
      lost()
      await leadership.close()
      await wait(restMs, undefined, { signal: closing.signal }).catch(() => undefined)
      if (!closing.signal.aborted) stand()
    },
    async close(): Promise<void> {
      const last = candidacy
      candidacy = { status: 'closed' }
      closing.abort()
      if (last.status === 'standing') await last.leadership.close()
    },
  }
}
