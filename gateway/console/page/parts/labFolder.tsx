import type { LabPack } from '../../../client/wire/ops.ts'
import { usePoll } from '../state/poll.ts'
import { lab, nameOf } from '../state/session.ts'
import { Fold } from './fold.tsx'
import { Empty, Trouble, Wait } from './notes.tsx'
import { Scroll } from './scroll.tsx'
import { Table } from './table.tsx'

const everyMs = 5_000

/** What stands for chains: the pack of this lab, and what it could be started with. */
export function Packs() {
  const { read, failure } = usePoll(async (signal) => lab.value?.packs({ signal }), { everyMs })
  const packs = read.value?.packs
  return (
    <section aria-label="Packs">
      <h2>Packs</h2>
      {failure.value !== undefined && <Trouble>The packs are not told: {failure.value}.</Trouble>}
      {packs?.length === 0 && (
        <Empty>
          This lab runs on none, and none stands where it was started.{' '}
          <code>forkyard pack record</code> makes one.
        </Empty>
      )}
      {packs && packs.length > 0 && (
        <Table
          label="Packs of this folder"
          head={'Pack,#Bytes,Chain,#Block,Age,Clock,#Answers'.split(',')}
        >
          {packs.map((pack) => (
            <PackRows key={pack.path} pack={pack} />
          ))}
        </Table>
      )}
      {!packs && failure.value === undefined && <Wait>Reading the packs …</Wait>}
    </section>
  )
}

function PackRows({ pack }: { readonly pack: LabPack }) {
  const { path, bytes, isOfLab, chains, refusal } = pack
  const head = (
    <>
      <th scope="row" class={isOfLab ? 'good' : ''}>
        {path}
        {isOfLab && ', of this lab'}
      </th>
      <td class="figure">{bytes}</td>
    </>
  )
  if (refusal !== undefined)
    return (
      <tr>
        {head}
        <td class="bad" colSpan={5}>
          {refusal}
        </td>
      </tr>
    )
  return chains.map(({ chainId, blockNumber, blockHash, age, isFrozen, answers }) => (
    <tr key={chainId}>
      {head}
      <td>{nameOf(chainId)}</td>
      <td class="figure" title={blockHash}>
        {blockNumber}
      </td>
      <td>{age}</td>
      <td>{isFrozen ? 'held' : 'runs'}</td>
      <td class="figure">{answers}</td>
    </tr>
  ))
}

/** What the lab’s processes have written last. */
export function Logs() {
  const { read, failure } = usePoll(async (signal) => lab.value?.logs({}, { signal }), { everyMs })
  const logs = read.value?.logs
  return (
    <section aria-label="Logs">
      <h2>Logs</h2>
      {failure.value !== undefined && <Trouble>The logs are not told: {failure.value}.</Trouble>}
      {logs?.length === 0 && (
        <Empty>This lab writes to its terminal, or its containers’ logs.</Empty>
      )}
      {logs?.map(({ name, lines }) => (
        <Fold key={name} name={name} summary={`${name}, its last ${lines.length} lines`}>
          <Scroll label={name}>
            <pre>{lines.join('\n')}</pre>
          </Scroll>
        </Fold>
      ))}
      {!logs && failure.value === undefined && <Wait>Reading the logs …</Wait>}
    </section>
  )
}
