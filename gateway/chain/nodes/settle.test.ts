import { assert, suite } from '../../../fixtures/test.ts'
import type { Asked } from './callQueue.ts'
import type { Endpoint } from './endpoint.ts'
import type { RpcCall } from './readReply.ts'
import { settle } from './settle.ts'

const s = suite('what becomes of a call that no endpoint has an answer to')
const hash = `0x${'ab'.repeat(32)}` as const
const from = {} as Endpoint
const answer = { error: { code: -32001, message: 'block not found' } }

function ask(
  call: RpcCall,
  forMs: number,
  {
    unanswered = 4,
    blockPatienceMs = 600_000,
  }: Partial<Pick<Asked, 'unanswered' | 'blockPatienceMs'>> = {},
) {
  const waiting = { isFirst: true, patienceMs: 90_000, blockPatienceMs }
  const counts = { notBeforeMs: 0, isApart: false, faults: 0, unanswered }
  const sinceMs = performance.now() - forMs
  const own = { sinceMs, reasons: [], avoided: new Set<Endpoint>(), resolve: () => undefined }
  const verdict = { next: 'elsewhere', trouble: { kind: 'block_unknown' }, answer } as const
  return settle({ ...waiting, ...counts, ...own, call }, verdict, { from, endpoints: [from] })
}

const call = { method: 'eth_call', params: [{ data: '0x' }, '0x1'] }
for (const [what, asked, isWaiting] of [
  ['that was numbered is waited for', call, true],
  ['that was pinned may be orphaned', { ...call, blockHash: hash }, false],
  ['that was named by its hash, too', { ...call, params: [{ blockHash: hash }] }, false],
] as const)
  s(`a block ${what}`, () => {
    assert.is(ask(asked, 0), undefined)
    const later = isWaiting ? undefined : { status: 'answered', answer }
    assert.equal(ask(asked, 60_000), later)
  })

s(
  'a block that few have been asked for, since calls wait, is waited for [nodes/unknown-times]',
  () => {
    const pinned = { ...call, blockHash: hash }
    const gone = { status: 'answered', answer }
    assert.is(ask(pinned, 60_000, { unanswered: 3 }), undefined)
    assert.equal(ask(pinned, 60_000, { unanswered: 4 }), gone)
    assert.equal(ask(pinned, 60_000, { unanswered: 0, blockPatienceMs: 1_000 }), gone)
  },
)
s.run()
