import { signal } from '@preact/signals'
import { lab, nameOf } from '../state/session.ts'
import { goBack, type Kept, keep, noSnapshots } from '../state/snapshots.ts'
import { Deed } from './deed.tsx'
import { Empty } from './notes.tsx'

/** While the page is open: a lab does not list what it keeps. */
const snapshots = signal(noSnapshots)

async function take(chainId: number): Promise<string> {
  if (!lab.value) throw new Error('the lab has gone')
  const { id } = await lab.value.snapshot({ chainId })
  snapshots.value = keep(snapshots.value, { chainId, id })
  return `Kept as state ${snapshots.value.kept.length}.`
}

async function revert(to: Kept): Promise<string> {
  if (!lab.value) throw new Error('the lab has gone')
  const { id } = await lab.value.revert({ chainId: to.chainId, id: to.id })
  snapshots.value = goBack(snapshots.value, to, id)
  return `${nameOf(to.chainId)} is as it was in state ${to.number}.`
}

/** States of a chain, each below the one it came from. */
export function SnapshotTree({ chainId }: { readonly chainId: number }) {
  const ofChain = snapshots.value.kept.filter((one) => one.chainId === chainId)
  return (
    <section aria-label="Snapshots">
      <h2>Snapshots</h2>
      <Deed label="Keep a state" submit="Keep the state of now" work={() => take(chainId)} />
      {ofChain.length === 0 ? (
        <Empty>
          Nothing is kept yet. A kept state can be gone back to while this page is open.
        </Empty>
      ) : (
        <Branch of={undefined} all={ofChain} current={snapshots.value.current[chainId]} />
      )}
    </section>
  )
}

function Branch({
  of,
  all,
  current,
}: {
  readonly of: number | undefined
  readonly all: readonly Kept[]
  readonly current: number | undefined
}) {
  const own = all.filter(({ parent }) => parent === of)
  if (own.length === 0) return null
  return (
    <ul>
      {own.map((one) => (
        <li key={one.number}>
          State {one.number}
          {one.number === current && ', the chain goes on from here'}
          {one.isGone ? (
            ', forgotten: the chain went back to one before'
          ) : (
            <Deed
              label={`State ${one.number}`}
              submit={`Go back to state ${one.number}`}
              work={() => revert(one)}
            />
          )}
          <Branch of={one.number} all={all} current={current} />
        </li>
      ))}
    </ul>
  )
}
