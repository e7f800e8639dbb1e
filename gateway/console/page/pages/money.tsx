import type { HeldKey, Money, PaymentReceipt, SettlementReceipt } from '../../../client/wire/ops.ts'
import type { Pricing } from '../../../client/wire/routing.ts'
import { Amount } from '../parts/amount.tsx'
import { Audit } from '../parts/audit.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { QueryForm, TextField } from '../parts/queryForm.tsx'
import { Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { group } from '../state/amounts.ts'
import { place, toHash } from '../state/place.ts'
import { usePoll } from '../state/poll.ts'
import { client, nameOf, ops } from '../state/session.ts'
import { describeToken, useTokens } from '../state/tokens.ts'

const everyMs = 3_000
/** What is paid in changes when an operator says so. */
const saleEveryMs = 60_000

/** Who holds which quota, how it came, and what was charged. */
export function MoneyPage() {
  const { query } = place.value
  const search = query.get('search') ?? ''
  const keyId = query.get('key')
  const tokensFailure = useTokens()
  return (
    <>
      <QueryForm submit="Search">
        <TextField name="search" label="Key, wallet, transaction" isSearch />
      </QueryForm>
      {tokensFailure.value !== '' && (
        <Trouble>
          Assets have no names: the tokens could not be read: {tokensFailure.value}.
        </Trouble>
      )}
      {keyId !== null && <Ledger key={keyId} keyId={keyId} />}
      <Books key={search} search={search} />
    </>
  )
}

function Books({ search }: { readonly search: string }) {
  const ask = (signal: AbortSignal) => ops.money({ search }, { signal })
  const { read, failure } = usePoll(ask, { everyMs })
  return (
    <>
      {failure.value !== undefined && (
        <Trouble>The books are not told: {failure.value}. Asked again every 3 s.</Trouble>
      )}
      {read.value ? (
        <>
          <Keys money={read.value} search={search} />
          <Payments payments={read.value.payments} />
          <Settlements settlements={read.value.settlements} />
          <Audit />
        </>
      ) : (
        failure.value === undefined && <Wait>Reading the books …</Wait>
      )}
    </>
  )
}

const keyLink = (keyId: string, search = '') => (
  <a href={toHash('money', { search, key: keyId })}>{keyId}</a>
)

function Keys({
  money: { keys, keysFound },
  search,
}: {
  readonly money: Money
  readonly search: string
}) {
  return (
    <section aria-label="Keys">
      <h2>Keys</h2>
      {keys.length === 0 && <Empty>No key has this in its id, start, label or wallet.</Empty>}
      {keys.length < keysFound && (
        <p class="small">
          The newest {keys.length} of {keysFound}.
        </p>
      )}
      {keys.length > 0 && (
        <Table
          label="Keys and their quota"
          head={'Key,Label,Starts,Wallet,#Remaining,#Used,#Total,State'.split(',')}
        >
          {keys.map((key) => (
            <KeyRow key={key.id} held={key} search={search} />
          ))}
        </Table>
      )}
    </section>
  )
}

function KeyRow({ held, search }: { readonly held: HeldKey; readonly search: string }) {
  const { revokedAtMs } = held
  return (
    <tr>
      <th scope="row">{keyLink(held.id, search)}</th>
      <td>{held.label}</td>
      <td>{held.start}…</td>
      <td class="hash">{held.wallet ?? 'none'}</td>
      <td class="figure">{group(held.remaining)} quotes</td>
      <td class="figure">{group(held.used)}</td>
      <td class="figure">{group(held.total)}</td>
      <td class={revokedAtMs === undefined ? 'good' : 'bad'}>
        {revokedAtMs === undefined ? (
          'valid'
        ) : (
          <>
            revoked <When atMs={revokedAtMs} />
          </>
        )}
      </td>
    </tr>
  )
}

function Ledger({ keyId }: { readonly keyId: string }) {
  const ask = (signal: AbortSignal) => ops.ledger({ keyId }, { signal })
  const { read, failure } = usePoll(ask, { everyMs })
  const entries = read.value?.entries
  return (
    <section aria-label="Ledger">
      <h2>Ledger of {keyId}</h2>
      {failure.value !== undefined && <Trouble>The ledger is not told: {failure.value}.</Trouble>}
      {entries?.length === 0 && <Empty>Nothing was credited to this key, or there is none.</Empty>}
      {entries && entries.length > 0 && (
        <Table label="Newest entries" head={['When', 'Kind', '#Units', 'Reference']}>
          {entries.map(({ id, kind, units, ref, atMs }) => (
            <tr key={id}>
              <th scope="row">
                <When atMs={atMs} />
              </th>
              <td>{kind}</td>
              <td class="figure">{group(units)}</td>
              <td>{ref}</td>
            </tr>
          ))}
        </Table>
      )}
      {!entries && failure.value === undefined && <Wait>Reading the ledger …</Wait>}
    </section>
  )
}

/** With the token in which the chain's quota is sold now; raw where none is. */
function Paid({
  payment: { chainId, amount },
  contracts,
}: {
  readonly payment: PaymentReceipt
  readonly contracts: Pricing['contracts']
}) {
  const sold = contracts.find(({ chain_id }) => chain_id === chainId)
  if (!sold) return `raw ${amount}`
  return <Amount raw={amount} {...describeToken(chainId, sold.payment_token)} />
}

function Payments({ payments }: { readonly payments: readonly PaymentReceipt[] }) {
  const ask = (signal: AbortSignal) => client.value?.access.pricing({ signal })
  const sale = usePoll(async (signal) => (await ask(signal))?.contracts ?? [], {
    everyMs: saleEveryMs,
  })
  return (
    <section aria-label="Payments">
      <h2>Payments claimed</h2>
      {sale.failure.value !== undefined && (
        <Trouble>
          Amounts are raw: what quota is sold for could not be read: {sale.failure.value}.
        </Trouble>
      )}
      {payments.length === 0 ? (
        <Empty>No payment was claimed that this search means.</Empty>
      ) : (
        <Table
          label="Newest payments"
          head={'When,Chain,Key,#Quotes,#Paid,State,Payer,Transaction'.split(',')}
        >
          {payments.map((one) => (
            <tr key={`${one.chainId} ${one.txHash} ${one.logIndex}`}>
              <th scope="row">
                <When atMs={one.atMs} />
              </th>
              <td>{nameOf(one.chainId)}</td>
              <td>{keyLink(one.keyId)}</td>
              <td class="figure">{one.quotes}</td>
              <td class="figure">
                <Paid payment={one} contracts={sale.read.value ?? []} />
              </td>
              <td>
                {one.state}, block {one.blockNumber}
              </td>
              <td class="hash">{one.payer}</td>
              <td class="hash">{one.txHash}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

function Settlements({ settlements }: { readonly settlements: readonly SettlementReceipt[] }) {
  return (
    <section aria-label="Settlements">
      <h2>Settlements by x402</h2>
      {settlements.length === 0 ? (
        <Empty>No signed payment was settled that this search means.</Empty>
      ) : (
        <Table
          label="Newest settlements"
          head={'When,Chain,Key,Asset,State,#Nonce,Payer,Transaction'.split(',')}
        >
          {settlements.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <When atMs={one.createdAtMs} />
              </th>
              <td>{nameOf(one.chainId)}</td>
              <td>{keyLink(one.keyId)}</td>
              <td title={one.asset}>{describeToken(one.chainId, one.asset).symbol}</td>
              <td class={one.state === 'failed' ? 'bad' : ''}>
                {one.state}
                {one.reason !== undefined && `: ${one.reason}`}
              </td>
              <td class="figure">{one.signerNonce}</td>
              <td class="hash">{one.payer}</td>
              <td class="hash">{one.txHash}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
