import type { ChainStatus } from '../../../client/wire/routing.ts'
import { Empty } from './notes.tsx'

/** Of each DEX: how many pools are known, how many are quoted, and why others are not. */
export function Coverage({ chain, name }: { readonly chain: ChainStatus; readonly name: string }) {
  const { coverage } = chain
  if (!coverage) return <Empty>{name} is read by another gateway, which knows the coverage.</Empty>
  const rows = coverage.filter(({ known }) => known > 0)
  const absent = coverage.filter(({ known }) => known === 0)
  return (
    <details>
      <summary>
        {name}: {rows.reduce((sum, { loaded }) => sum + loaded, 0)} pools of {rows.length} DEXes
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">DEX</th>
            <th scope="col">Known</th>
            <th scope="col">Loaded</th>
            <th scope="col">Not loaded, and why</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
      {absent.length > 0 && (
        <p class="small">Without pools here: {absent.map(({ dex }) => dex).join(', ')}.</p>
      )}
    </details>
  )
}
