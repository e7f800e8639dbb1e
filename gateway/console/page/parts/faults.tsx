import { useSignal } from '@preact/signals'
import type { ArmedFault, Fault, FaultRequest } from '../../../client/wire/ops.ts'
import { place } from '../state/place.ts'
import { usePoll } from '../state/poll.ts'
import { lab, sentenceOf } from '../state/session.ts'
import { Empty, Trouble, Wait } from './notes.tsx'
import { Table } from './table.tsx'

const everyMs = 1_000
/** Who switches on a fault looks at it for a while. */
const ttlMs = 3_600_000
const times = 1_000

/** Every fault as a switch, with what it does. */
export function Faults() {
  const failure = useSignal('')
  const asked = useSignal(0)
  const ask = async (signal: AbortSignal) => lab.value?.faults({ signal })
  const { read, failure: unread } = usePoll(ask, { everyMs, key: String(asked.value) })
  const words = (place.value.query.get('fault') ?? '').toLowerCase()
  async function flip(name: FaultRequest['name'], isOn: boolean) {
    failure.value = ''
    try {
      if (isOn) await lab.value?.clearFault(name)
      else await lab.value?.fail({ name, times, ttlMs })
      asked.value += 1
    } catch (error) {
      failure.value = sentenceOf(error)
    }
  }
  const faults = read.value?.faults.filter(({ name, sentence }) =>
    `${name} ${sentence}`.toLowerCase().includes(words),
  )
  return (
    <section aria-label="Faults">
      <h2>Faults</h2>
      {unread.value !== undefined && <Trouble>The faults are not told: {unread.value}.</Trouble>}
      {failure.value !== '' && <Trouble>Nothing was switched: {failure.value}.</Trouble>}
      {faults?.length === 0 && <Empty>No fault has these words. Leave some out.</Empty>}
      {faults && faults.length > 0 && (
        <Table label="Switches of faults" head={['Fault', 'What it does', '#Left']}>
          {faults.map((fault) => (
            <FaultRow
              key={fault.name}
              fault={fault}
              armed={read.value?.armed.find(({ name }) => name === fault.name)}
              flip={flip}
            />
          ))}
        </Table>
      )}
      {!faults && unread.value === undefined && <Wait>Reading the faults …</Wait>}
    </section>
  )
}

function FaultRow({
  fault: { name, sentence },
  armed,
  flip,
}: {
  readonly fault: Fault
  readonly armed: ArmedFault | undefined
  readonly flip: (name: FaultRequest['name'], isOn: boolean) => Promise<void>
}) {
  const isOn = armed !== undefined
  // The lab named it: it is one of those.
  const press = () => flip(name as FaultRequest['name'], isOn)
  return (
    <tr>
      <th scope="row">
        <button type="button" role="switch" aria-checked={isOn} onClick={press}>
          {name}
        </button>
      </th>
      <td>{sentence}</td>
      <td class="figure">{armed ? `${armed.left} requests` : 'off'}</td>
    </tr>
  )
}
