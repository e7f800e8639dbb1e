import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type {
  Candidate,
  ComparedCandidate,
  CompareRequest,
  Comparison,
} from '../../../client/wire/routing.ts'
import { Amount } from '../parts/amount.tsx'
import { CallTree } from '../parts/callTree.tsx'
import { Empty, Trouble, Wait } from '../parts/notes.tsx'
import { type Order, OrderPage } from '../parts/orderForm.tsx'
import { QueryForm } from '../parts/queryForm.tsx'
import { Table } from '../parts/table.tsx'
import { group } from '../state/amounts.ts'
import { linkOf } from '../state/calls.ts'
import { place, toHash } from '../state/place.ts'
import { client, sentenceOf } from '../state/session.ts'
import { describeToken } from '../state/tokens.ts'

/** What several payloads deliver on one block: of the sources, or pasted. */
export function ComparePage() {
  const pasted = place.value.query.get('body')
  return (
    <>
      <OrderPage
        submit="Compare the sources"
        promise="what each source promises is dry-run on one block. Or paste candidates below."
      >
        {(order) => <Compared ask={(signal) => askSources(order, signal)} />}
      </OrderPage>
      <h2>Pasted candidates</h2>
      <QueryForm submit="Compare these">
        <label>
          The body of POST /compare/simulate, as JSON
          <textarea name="body" rows={5} cols={60} spellcheck={false} value={pasted ?? ''} />
        </label>
      </QueryForm>
      {pasted !== null && <Compared key={pasted} ask={async () => readPasted(pasted)} />}
    </>
  )
}

function readPasted(text: string): CompareRequest {
  try {
    // The service says what of it is not as it must be.
    return JSON.parse(text) as CompareRequest
  } catch (cause) {
    throw new Error('what was pasted is no JSON', { cause })
  }
}

async function askSources(order: Order, signal: AbortSignal): Promise<CompareRequest> {
  const { meta } = client.value ?? {}
  const { chainId, tokenIn, tokenOut, amountIn, taker } = order
  if (!meta) throw new Error('the gateway has not said where its services are')
  if (taker === undefined) throw new Error('name the wallet that would swap')
  const [inputToken, outputToken, inputAmount] = [
    tokenIn.address,
    tokenOut.address,
    String(amountIn),
  ]
  const { quotes } = await meta.quote(
    { chainId, tokenIn: inputToken, tokenOut: outputToken, amountIn: inputAmount, taker },
    { signal },
  )
  return {
    chainId,
    candidates: quotes.map(
      (quote): Candidate => ({
        providerId: quote.provider,
        target: quote.target,
        data: quote.calldata,
        value: quote.value,
        inputToken,
        outputToken,
        inputAmount,
        approveTarget: quote.approveTarget ?? undefined,
        quotedOutput: quote.amountOut,
      }),
    ),
  }
}

type Answer = { readonly request: CompareRequest; readonly comparison: Comparison }

function Compared({ ask }: { readonly ask: (signal: AbortSignal) => Promise<CompareRequest> }) {
  const answer = useSignal<Answer | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    async function run() {
      try {
        const { routing } = client.value ?? {}
        if (!routing) throw new Error('the gateway has not said where its services are')
        const request = await ask(signal)
        const comparison = await routing.compare(request, { signal })
        answer.value = { request, comparison }
      } catch (error) {
        if (!signal.aborted) failure.value = sentenceOf(error)
      }
    }
    void run()
    return () => leaving.abort()
  }, [])
  if (failure.value !== '') return <Trouble>Nothing was compared: {failure.value}.</Trouble>
  if (!answer.value) return <Wait>Dry-running each candidate on one block …</Wait>
  const { request, comparison } = answer.value
  const links = request.candidates.map((_, index, all) =>
    linkOf(
      all.map(({ providerId }) => providerId),
      index,
    ),
  )
  const traced = place.value.query.get('trace') ?? ''
  const candidate = request.candidates[links.indexOf(traced)]
  return (
    <section aria-label="Comparison">
      <p>
        On block <span class="figure">{comparison.block_number}</span>;{' '}
        {comparison.winnerProviderId === undefined
          ? 'no candidate delivered anything'
          : `${comparison.winnerProviderId} delivers the most`}
        .
      </p>
      <Table
        label="Candidates"
        head={'Candidate,#Promised,#Delivered,#Difference,#Accuracy,#Gas,What failed,Trace'.split(
          ',',
        )}
      >
        {comparison.results.map((result, index) => (
          <Row
            key={index}
            result={result}
            link={links[index] ?? ''}
            isBest={result.providerId === comparison.winnerProviderId}
            token={describeToken(request.chainId, request.candidates[index]?.outputToken ?? '')}
          />
        ))}
      </Table>
      {candidate && <CallTree key={traced} chainId={request.chainId} candidate={candidate} />}
      {traced !== '' && !candidate && (
        <Empty>No candidate is called “{traced}” this time. Choose one above.</Empty>
      )}
    </section>
  )
}

function Row({
  result,
  token: { symbol, decimals },
  link,
  isBest,
}: {
  readonly result: ComparedCandidate
  readonly token: { readonly symbol: string; readonly decimals: number }
  /** Names it in the address of the page. */
  readonly link: string
  readonly isBest: boolean
}) {
  const amount = (raw: string | undefined) =>
    raw === undefined ? 'nothing' : <Amount raw={raw} decimals={decimals} symbol={symbol} />
  const { accuracyBps, accuracyDelta } = result
  const { page, query } = place.value
  return (
    <tr class={isBest ? 'best' : ''}>
      <th scope="row">{result.providerId}</th>
      <td class="figure">{amount(result.quotedOutput)}</td>
      <td class="figure">{amount(result.actualOutput)}</td>
      <td class="figure">{accuracyDelta === undefined ? '' : amount(accuracyDelta)}</td>
      <td class="figure">{accuracyBps === undefined ? '' : `${accuracyBps / 100} %`}</td>
      <td class="figure">{group(result.gas_used ?? '')}</td>
      <td class={result.success ? '' : 'bad'}>{result.error ?? ''}</td>
      <td>
        <a
          href={toHash(page, { ...Object.fromEntries(query), trace: link })}
          aria-label={`calls of ${result.providerId}`}
        >
          calls
        </a>
      </td>
    </tr>
  )
}
