import type { FollowedPool, PoolList } from '../../../client/wire/ops.ts'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { PoolState } from '../parts/poolState.tsx'
import { ChainField, chainOf, QueryForm, TextField } from '../parts/queryForm.tsx'
import { Table } from '../parts/table.tsx'
import { place, toHash } from '../state/place.ts'
import { usePoll } from '../state/poll.ts'
import { ops } from '../state/session.ts'
import { useTokens } from '../state/tokens.ts'

const everyMs = 5_000

/** Every pool that is followed, and why others are not. */
export function PoolsPage() {
  const { query } = place.value
  const chainId = chainOf(query)
  const search = query.get('search') ?? ''
  const id = query.get('pool')
  const tokensFailure = useTokens()
  return (
    <>
      <QueryForm submit="Search">
        <ChainField />
        <TextField name="search" label="Symbols, DEX, addresses" isSearch />
      </QueryForm>
      {tokensFailure.value !== '' && (
        <Trouble>Amounts are raw: the tokens could not be read: {tokensFailure.value}.</Trouble>
      )}
      {id !== null && <PoolState key={`${chainId} ${id}`} chainId={chainId} id={id} />}
      <Found key={`${chainId} ${search}`} chainId={chainId} search={search} />
    </>
  )
}

type Search = { readonly chainId: number; readonly search: string }

function Found({ chainId, search }: Search) {
  const ask = (signal: AbortSignal) => ops.pools({ chainId, search }, { signal })
  const { read, failure } = usePoll(ask, { everyMs })
  return (
    <>
      {failure.value !== undefined && (
        <Trouble>The pools are not told: {failure.value}. Asked again every 5 s.</Trouble>
      )}
      {read.value ? (
        <>
          <Followed list={read.value} chainId={chainId} search={search} />
          <LeftOut list={read.value} />
        </>
      ) : (
        failure.value === undefined && <Wait>Reading the pools …</Wait>
      )}
    </>
  )
}

function Followed({ list, chainId, search }: Search & { readonly list: PoolList }) {
  const { pools, found, total, block } = list
  if (found === 0)
    return <Empty>None of the {total} followed pools has all of these words. Leave some out.</Empty>
  return (
    <>
      <p>
        {found} of {total} pools as of block <span class="figure">{block}</span>
        {pools.length < found && `; these ${pools.length} have seen the most swaps`}.
      </p>
      <Table
        label="Followed pools"
        head={'Tokens,DEX,Pool,#Fee,#Swaps,#Changed,Priced,Tried'.split(',')}
      >
        {pools.map((pool) => (
          <PoolRow key={pool.id} {...{ pool, chainId, search }} />
        ))}
      </Table>
      <p class="small">
        Priced: local by what was read of the pool, quoted by its protocol on the chain. Tried: what
        its last swap in a dry run came to. Changed: in that block.
      </p>
    </>
  )
}

function PoolRow({
  pool,
  chainId,
  search,
}: {
  readonly pool: FollowedPool
  readonly chainId: number
  readonly search: string
}) {
  const link = toHash('pools', { chain: String(chainId), search, pool: pool.id })
  return (
    <tr>
      <th scope="row">{pool.tokens.map(({ symbol, address }) => symbol ?? address).join(' ')}</th>
      <td>{pool.dex}</td>
      <td title={pool.id}>
        <a href={link}>{pool.id.slice(0, 10)}…</a>
      </td>
      <td class="figure" title={`${pool.feePips} pips`}>
        {pool.feePips / 100} bps
      </td>
      <td class="figure">{pool.swapsSeen}</td>
      <td class="figure">{pool.changedBlock}</td>
      <td>{pool.pricing}</td>
      <td>{pool.tried ?? 'not yet'}</td>
    </tr>
  )
}

function LeftOut({ list: { leftOut } }: { readonly list: PoolList }) {
  return (
    <>
      <h2>Left out</h2>
      {leftOut.length === 0 ? (
        <Empty>Every pool that was found could be read.</Empty>
      ) : (
        <Table label="Pools left out" head={['DEX', 'Pool', 'Why']}>
          {leftOut.map(({ dex, pool, reason }) => (
            <tr key={pool}>
              <th scope="row">{dex}</th>
              <td class="hash">{pool}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}
