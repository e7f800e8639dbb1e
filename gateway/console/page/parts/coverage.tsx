import type { ChainStatus } from '../../../client/wire/routing.ts'
import { Fold } from './fold.tsx'
import { Empty } from './notes.tsx'
import { Table } from './table.tsx'

/** Of each DEX: how many pools are known, how many are quoted, and why others are not. */
export function Coverage({ chain, name }: { readonly chain: ChainStatus; readonly name: string }) {
  const { coverage } = chain
  if (!coverage)
    return <Empty>{name} is read by another gateway, which has not told its coverage yet.</Empty>
  const rows = coverage.filter(({ known }) => known > 0)
  const absent = coverage.filter(({ known, searched }) => known === 0 && searched)
  const waiting = coverage.filter(({ searched }) => !searched)
  const loaded = rows.reduce((sum, row) => sum + row.loaded, 0)
  const summary = `${name}: ${loaded} pools of ${rows.length} DEXes`
  return (
    <Fold name={`pools-${chain.chain_id}`} summary={summary}>
      <Table label={`Pools of ${name}`} head={['DEX', '#Known', '#Loaded', 'Not loaded, and why']}>
        {rows.map(({ dex, known, loaded, refused, left_out }) => (
          <tr key={dex}>
            <th scope="row">{dex}</th>
            <td class="figure">{known}</td>
            <td class="figure">{loaded}</td>
            <td>
              {[
                ...refused.map(({ reason, pools }) => `${pools}: ${reason}`),
                ...(left_out === undefined ? [] : [left_out]),
              ].join('; ')}
            </td>
          </tr>
        ))}
      </Table>
      {waiting.length > 0 && (
        <p class="small">Not looked for yet: {waiting.map(({ dex }) => dex).join(', ')}.</p>
      )}
      {absent.length > 0 && (
        <p class="small">Without pools here: {absent.map(({ dex }) => dex).join(', ')}.</p>
      )}
    </Fold>
  )
}
