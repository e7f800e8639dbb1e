import type { AuditVerdict } from '../../../client/wire/ops.ts'
import { usePoll } from '../state/poll.ts'
import { ops, sentenceOf } from '../state/session.ts'
import { Empty, Trouble, Wait } from './notes.tsx'
import { Table } from './table.tsx'
import { When } from './when.tsx'

const everyMs = 3_000

/** Whether the books balance: as of the last audit, and anew when asked. */
export function Audit() {
  const ask = (signal: AbortSignal) => ops.lastAudit({ signal })
  const { read, failure } = usePoll(ask, { everyMs })
  async function run() {
    try {
      read.value = { ...read.value, runningSinceMs: Date.now() }
      read.value = await ops.audit()
    } catch (error) {
      failure.value = sentenceOf(error)
    }
  }
  const { last, failedAtMs, runningSinceMs } = read.value ?? {}
  return (
    <section aria-label="Audit">
      <h2>Audit</h2>
      <button type="button" onClick={run} disabled={runningSinceMs !== undefined}>
        Audit the books
      </button>
      {runningSinceMs !== undefined && (
        <Wait>
          The whole database has been read since <When atMs={runningSinceMs} /> …
        </Wait>
      )}
      {failure.value !== undefined && <Trouble>The audit is not told: {failure.value}.</Trouble>}
      {failedAtMs !== undefined && (
        <Trouble>
          The audit of <When atMs={failedAtMs} /> could not be made: the gateway’s log says why.
        </Trouble>
      )}
      {read.value && !last && <Empty>None was made since this gateway started.</Empty>}
      {last && <Verdict verdict={last} />}
      <p class="small">
        The gateway reads on meanwhile. Whether the chains say the same, <code>forkyard audit</code>{' '}
        asks them.
      </p>
    </section>
  )
}

function Verdict({ verdict }: { readonly verdict: AuditVerdict }) {
  const { atMs, tookMs, found, faults } = verdict
  return (
    <>
      <p class={found === 0 ? 'good' : 'bad'}>
        {found === 0 ? 'The books balance' : `${found} rows do not balance`}, as of{' '}
        <When atMs={atMs} />; that took {tookMs} ms.
      </p>
      {faults.length < found && <p class="small">The first {faults.length} of them.</p>}
      {found > 0 && (
        <Table label="Rows that do not balance" head={['Check', 'Row', 'Found']}>
          {faults.map(({ check, row, found: what }) => (
            <tr key={`${check} ${row} ${what}`}>
              <th scope="row">{check}</th>
              <td class="figure">{row}</td>
              <td>{what}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}
