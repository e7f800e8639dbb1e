import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CandidateTrace, TracedCall, TraceRequest } from '../../../client/wire/ops.ts'
import { toExact } from '../state/amounts.ts'
import { type CallNode, nestCalls } from '../state/calls.ts'
import { ops, sentenceOf } from '../state/session.ts'
import { describeToken, findToken } from '../state/tokens.ts'
import { Amount } from './amount.tsx'
import { Trouble, Wait } from './notes.tsx'
import { Scroll } from './scroll.tsx'

/** What a candidate calls in its dry run, as a tree, with what the tokens say they moved. */
export function CallTree({ chainId, candidate }: TraceRequest) {
  const trace = useSignal<CandidateTrace | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    ops.traceCandidate({ chainId, candidate }, { signal }).then(
      (answer) => {
        trace.value = answer
      },
      (error: unknown) => {
        if (!signal.aborted) failure.value = sentenceOf(error)
      },
    )
    return () => leaving.abort()
  }, [])
  return (
    <section aria-label="Calls">
      <h2>Calls of {candidate.providerId}</h2>
      {failure.value !== '' && <Trouble>Nothing was traced: {failure.value}.</Trouble>}
      {trace.value && <Told trace={trace.value} chainId={chainId} />}
      {!trace.value && failure.value === '' && (
        <Wait>Running it on a fork of its own, call by call …</Wait>
      )}
    </section>
  )
}

function Told({ trace, chainId }: { readonly trace: CandidateTrace; readonly chainId: number }) {
  const { block, calls, leftOut, reason } = trace
  if (reason !== undefined) return <Trouble>There is no trace: {reason}.</Trouble>
  const cause = calls.find(({ isCause }) => isCause)
  const hasFailed = calls[0]?.failure !== undefined
  return (
    <>
      <p role="status">
        On block <span class="figure">{block}</span>{' '}
        {cause
          ? `it failed in ${nameOf(cause, chainId)}: ${cause.failure}`
          : hasFailed
            ? 'it failed in a call that is left out'
            : 'no call made it fail'}
        .{leftOut > 0 && ` ${leftOut} further calls are left out.`}
      </p>
      <Scroll label="Tree of calls">
        <Branches nodes={nestCalls(calls)} chainId={chainId} />
      </Scroll>
    </>
  )
}

type Inside = { readonly chainId: number }

const Branches = ({ nodes, chainId }: Inside & { readonly nodes: readonly CallNode[] }) => (
  <ul class="calls">
    {nodes.map((node, index) => (
      <Branch key={index} node={node} chainId={chainId} />
    ))}
  </ul>
)

/** Shut where it is deep and nothing in it failed. */
function Branch({ node: { call, inner }, chainId }: Inside & { readonly node: CallNode }) {
  const line = <Line call={call} chainId={chainId} />
  return (
    <li>
      {inner.length === 0 ? (
        line
      ) : (
        <details open={call.depth < 2 || call.failure !== undefined}>
          <summary>{line}</summary>
          <Branches nodes={inner} chainId={chainId} />
        </details>
      )}
    </li>
  )
}

function Line({ call, chainId }: Inside & { readonly call: TracedCall }) {
  const { kind, to, value, gasUsed, failure, isCause, isUndone, transfers } = call
  return (
    <>
      <span class="small">{kind}</span> <span title={to}>{nameOf(call, chainId)}</span>{' '}
      <span class="small figure">
        {gasUsed} gas{value !== '0' && `, sends ${toExact(BigInt(value), 18)}`}
      </span>
      {failure !== undefined && (
        <strong class="bad">
          {' '}
          {isCause ? 'failed here' : 'failed'}: {failure}
        </strong>
      )}
      {transfers.map(({ token, from, to: whom, amount }, index) => {
        const { symbol, decimals } = describeToken(chainId, token)
        return (
          <span key={index} class="moved">
            <Amount raw={amount} decimals={decimals} symbol={symbol} /> from{' '}
            <span title={from}>{shorten(from)}</span> to <span title={whom}>{shorten(whom)}</span>
            {isUndone && ', undone'}
          </span>
        )
      })}
    </>
  )
}

const shorten = (address: string) => `${address.slice(0, 8)}…${address.slice(-4)}`

function nameOf({ to, selector, function: signature }: TracedCall, chainId: number): string {
  const token = to === undefined ? undefined : findToken(chainId, to)
  const contract = to === undefined ? 'a new contract' : (token?.symbol ?? shorten(to))
  return `${contract}.${signature?.replace(/\(.*/, '') ?? selector}`
}
