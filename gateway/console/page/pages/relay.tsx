import type { ExaminedGate, GateNumber, SponsoredTransaction } from '../../../client/wire/ops.ts'
import type { Intent } from '../../../client/wire/relay.ts'
import { Amount } from '../parts/amount.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { ChainField, chainOf, QueryForm, TextField } from '../parts/queryForm.tsx'
import { Hash, Table } from '../parts/table.tsx'
import { group } from '../state/amounts.ts'
import { parseMetrics, sumOf } from '../state/metricsText.ts'
import { askedOf, place } from '../state/place.ts'
import { usePoll } from '../state/poll.ts'
import { client, nameOf, ops } from '../state/session.ts'
import { describeToken, findToken, tokens, useTokens } from '../state/tokens.ts'

const everyMs = 2_000

/** What the relay may still spend, whom it would sponsor and why not, and what it has sent. */
export function RelayPage() {
  return (
    <>
      <Budgets />
      <Gates />
      <Transactions />
    </>
  )
}

function Budgets() {
  const ask = async (signal: AbortSignal) => (await client.value?.relay.intents({ signal })) ?? []
  const { read, failure } = usePoll(ask, { everyMs })
  return (
    <section aria-label="Budgets">
      <h2>This hour</h2>
      {failure.value !== undefined && (
        <Trouble>The relay does not answer: {failure.value}.</Trouble>
      )}
      {read.value?.length === 0 && <Empty>No chain has a relayer: nothing is sponsored.</Empty>}
      {read.value && read.value.length > 0 && (
        <Table
          label="Budgets by chain"
          head={['Chain', 'Sponsors', 'Deployments', 'Spent', '#Relayer holds']}
        >
          {read.value.map((intent) => (
            <BudgetRow key={intent.chainId} intent={intent} />
          ))}
        </Table>
      )}
      {!read.value && failure.value === undefined && <Wait>Reading the budgets …</Wait>}
    </section>
  )
}

const ether = { decimals: 18, symbol: 'ETH' }

function BudgetRow({ intent }: { readonly intent: Intent }) {
  const { deploysThisHour, maxDeploysPerHour, relayerBalanceWei } = intent
  const name = nameOf(intent.chainId)
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class={intent.servable ? 'good' : 'bad'}>{intent.servable ? 'yes' : intent.reason}</td>
      <td class="hash">
        <meter
          aria-label={`Deployments of ${name}`}
          value={deploysThisHour}
          max={maxDeploysPerHour}
        />{' '}
        {deploysThisHour} of {maxDeploysPerHour}
      </td>
      <td class="hash">
        <meter
          aria-label={`Spent on ${name}`}
          value={Number(intent.spendThisHourWei)}
          max={Number(intent.maxSpendPerHourWei)}
        />{' '}
        <Amount raw={intent.spendThisHourWei} {...ether} /> of{' '}
        <Amount raw={intent.maxSpendPerHourWei} {...ether} />
      </td>
      <td class="figure">
        {relayerBalanceWei === null ? 'unknown' : <Amount raw={relayerBalanceWei} {...ether} />}
      </td>
    </tr>
  )
}

function Gates() {
  const { query } = place.value
  const tokensFailure = useTokens()
  const chainId = chainOf(query)
  const [owner, text, amount] = ['owner', 'token', 'amount'].map((name) => query.get(name) ?? '')
  const isAsked = Boolean(owner && text && amount)
  const isReady = tokens.value.length > 0 || tokensFailure.value !== ''
  return (
    <section aria-label="Gates">
      <h2>The ten gates of an owner</h2>
      <QueryForm submit="Look">
        <ChainField />
        <TextField name="owner" label="Owner" placeholder="0x…" required isSearch />
        <TextField name="token" label="Token to sell" placeholder="symbol or address" required />
        <TextField name="amount" label="Raw amount" inputMode="numeric" required />
      </QueryForm>
      {tokensFailure.value !== '' && (
        <Trouble>
          Name the token by its address, the others are not read: {tokensFailure.value}.
        </Trouble>
      )}
      {isAsked && !isReady && <Wait>Reading the tokens …</Wait>}
      {isAsked && isReady && (
        <Examined
          key={askedOf(query)}
          asked={{
            chainId,
            owner: owner as `0x${string}`,
            // The service says where it is neither a symbol nor an address.
            tokenIn: findToken(chainId, text ?? '')?.address ?? (text as `0x${string}`),
            amountIn: amount ?? '',
          }}
        />
      )}
      {!isAsked && (
        <Empty>
          Name an owner and what they want to swap: each gate lights up with its numbers.
        </Empty>
      )}
    </section>
  )
}

function Examined({ asked }: { readonly asked: Parameters<typeof ops.relayGates>[0] }) {
  const ask = (signal: AbortSignal) => ops.relayGates(asked, { signal })
  const { read, failure } = usePoll(ask, { everyMs })
  if (failure.value !== undefined)
    return <Trouble>The gates cannot be looked at: {failure.value}.</Trouble>
  if (!read.value) return <Wait>Simulating the deployment …</Wait>
  const { gates } = read.value
  const closed = gates.find(({ passes }) => !passes)
  return (
    <>
      <p role="status">
        {closed
          ? `Gate ${closed.step} answers${closed.sentence === undefined ? ' with what stands already: nothing more is deployed' : `: ${closed.sentence}`}.`
          : 'All ten are open: the relay would sponsor this owner.'}
      </p>
      <Table label="Gates one by one" head={['Gate', 'State', 'Decided on']}>
        {gates.map((gate) => (
          <GateRow
            key={gate.step}
            gate={gate}
            isReached={!closed || gate.step <= closed.step}
            token={describeToken(asked.chainId, asked.tokenIn)}
          />
        ))}
      </Table>
    </>
  )
}

function GateRow({
  gate: { step, gate, passes, numbers },
  isReached,
  token,
}: Named & {
  readonly gate: ExaminedGate
  readonly isReached: boolean
}) {
  return (
    <tr>
      <th scope="row">
        {step} {gate}
      </th>
      <td class={passes ? 'good' : 'bad'}>
        {passes ? 'open' : 'closed'}
        {!isReached && ', not reached'}
      </td>
      <td>
        {numbers.map((number, index) => [
          index > 0 && ', ',
          <span key={number.name}>
            {number.name} <GateValue number={number} token={token} />
          </span>,
        ])}
      </td>
    </tr>
  )
}

type Named = { readonly token: { readonly symbol: string; readonly decimals: number } }

function GateValue({ number: { value, unit }, token }: Named & { readonly number: GateNumber }) {
  if (unit === 'wei') return <Amount raw={value} {...ether} />
  if (unit === 'raw') return <Amount raw={value} {...token} />
  return <span class="figure">{unit === undefined ? value : `${group(value)} ${unit}`}</span>
}

function Transactions() {
  const ask = (signal: AbortSignal) => ops.relayTransactions({}, { signal })
  const { read, failure } = usePoll(ask, { everyMs })
  const sent = read.value?.transactions
  return (
    <section aria-label="Deployments">
      <h2>Deployments</h2>
      {failure.value !== undefined && <Trouble>The book is not told: {failure.value}.</Trouble>}
      {sent?.length === 0 && <Empty>Nothing was sponsored yet.</Empty>}
      <Gaps />
      {sent && sent.length > 0 && (
        <Table
          label="Newest deployments"
          head={'Chain,#Nonce,State,Owner,Proxy,Transaction,#Bumps,#Cost'.split(',')}
        >
          {sent.map((one) => (
            <TransactionRow key={one.id} sent={one} />
          ))}
        </Table>
      )}
      {!sent && failure.value === undefined && <Wait>Reading the book …</Wait>}
    </section>
  )
}

/** Whoever holds the relayer's key may use a nonce: only the gateway knows which are missing. */
function Gaps() {
  const ask = async (signal: AbortSignal) => parseMetrics(await ops.metrics({ signal }))
  const { read, failure } = usePoll(ask, { everyMs })
  const count = (kind: string) =>
    sumOf(read.value ?? [], 'forkyard_relay_events_total', { kind, code: '' })
  if (failure.value !== undefined) return <Trouble>Gaps are not told: {failure.value}.</Trouble>
  if (!read.value) return <Wait>Counting gaps in the nonces …</Wait>
  const [gaps, filled, blocked] = ['nonce_gap', 'nonce_filled', 'fill_blocked'].map(count)
  return (
    <p>
      Gaps in the nonces since the gateway started: seen <span class="figure">{gaps}</span>, filled{' '}
      <span class="figure">{filled}</span>, held up by caps <span class="figure">{blocked}</span>{' '}
      times.
    </p>
  )
}

function TransactionRow({ sent }: { readonly sent: SponsoredTransaction }) {
  const { attempts, actualWei } = sent
  const dearest = attempts.at(-1)
  return (
    <tr>
      <th scope="row">{nameOf(sent.chainId)}</th>
      <td class="figure">{sent.nonce}</td>
      <td class="hash">
        {sent.status}
        {sent.blockNumber !== undefined && ` in block ${sent.blockNumber}`}
      </td>
      <Hash value={sent.owner} />
      <Hash value={sent.proxy} />
      <td class="hash" title={attempts.map(({ hash }) => hash).join(' ')}>
        {(sent.minedHash ?? dearest?.hash ?? '').slice(0, 10)}…
      </td>
      <td
        class="figure"
        title={attempts.map(({ maxFeePerGasWei }) => `${maxFeePerGasWei} wei per gas`).join(', ')}
      >
        {attempts.length - 1}
      </td>
      <td class="figure">
        {actualWei === undefined ? (
          <>
            at most <Amount raw={sent.reservedWei} {...ether} />
          </>
        ) : (
          <Amount raw={actualWei} {...ether} />
        )}
      </td>
    </tr>
  )
}
