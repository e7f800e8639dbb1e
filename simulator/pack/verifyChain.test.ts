import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { assert, suite } from '../../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from '../rpc/rpcBatch.ts'
import { waitUntilLeft } from '../testing/waitUntilLeft.ts'
import { keyOf } from './packCall.ts'
import type { PackedChain } from './packFile.ts'
import { verifyChain } from './verifyChain.ts'

const s = suite('simulator/verifyChain')
const blockHash = `0x${'ab'.repeat(32)}`
type Asked = RpcCall & { readonly id: number }
/** What the node answers today, by method. */
let today: Readonly<Record<string, object>> = {}
const sizes: number[] = []
const server = createServer(async (request, response) => {
  const calls = (await json(request)) as readonly Asked[]
  sizes.push(calls.length)
  const answers = calls.map(({ id, method }) => ({ id, ...(today[method] ?? { result: null }) }))
  response.end(JSON.stringify(answers))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
s.after(() => {
  server.closeAllConnections()
  server.close()
})

async function verify(kept: Readonly<Record<string, RpcOutcome>>, now: typeof today) {
  today = { eth_getBlockByNumber: { result: { hash: blockHash } }, ...now }
  const entries = Object.entries(kept).map(([method, outcome]) => {
    const call = { method, params: [] }
    return [keyOf(call), { call, outcome }] as const
  })
  const chain = { chainId: 1, blockNumber: 16n, blockHash, answers: new Map(entries) }
  const rpcUrl = `http://127.0.0.1:${port}`
  const { block, equal, different, unanswered } = await verifyChain(
    chain as unknown as PackedChain,
    { rpcUrl },
  )
  return [block, equal, different.length, unanswered]
}
const ok = (result: unknown): RpcOutcome => ({ ok: true, result })
const failed = (code: number, data?: string): RpcOutcome => ({
  ok: false,
  code,
  message: 'm',
  data,
})
const error = (code: number, data?: string) => ({ error: { code, message: 'other words', data } })

const rows: readonly (readonly [
  name: string,
  kept: RpcOutcome,
  now: object,
  as: 'equal' | 'different' | 'unanswered',
])[] = [
  ['hex in another case', ok('0xAB'), { result: '0xab' }, 'equal'],
  ['another word', ok('0xAB'), { result: '0xac' }, 'different'],
  [
    'fields of its own',
    ok({ a: ['0xA', null], b: 1 }),
    { result: { a: ['0xa', null], c: 2 } },
    'equal',
  ],
  ['another field', ok({ a: { b: 1 } }), { result: { a: { b: 2 } } }, 'different'],
  ['a shorter list', ok(['0xa', '0xb']), { result: ['0xa'] }, 'different'],
  ['a longer list', ok(['0xa']), { result: ['0xa', '0xb'] }, 'different'],
  ['nothing for something', ok({ a: 1 }), { result: null }, 'different'],
  ['something for nothing', ok(null), { result: { a: 1 } }, 'different'],
  ['nothing', ok(undefined), { result: null }, 'equal'],
  ['a number for a word', ok('1'), { result: 1 }, 'different'],
  ['a word for fields', ok({ a: 1 }), { result: '0x1' }, 'different'],
  ['fields for a word', ok('0x1'), { result: { a: 1 } }, 'different'],
  ['the same revert', failed(3, '0x1'), error(3, '0x1'), 'equal'],
  ['another revert', failed(3, '0x1'), error(3, '0x2'), 'different'],
  ['a revert for an answer', ok('0x1'), error(3), 'different'],
  ['an answer for a revert', failed(3), { result: '0x1' }, 'different'],
  ['a limit for an answer', ok('0x1'), error(-32_005), 'unanswered'],
  ['a limit for a revert', failed(3), error(-32_005), 'unanswered'],
  ['the same refusal', failed(-32_601), error(-32_601), 'equal'],
]
for (const [name, kept, now, as] of rows)
  s(`${name} is ${as} [teeth/verify-chain]`, async () => {
    const counts = ['equal', 'different', 'unanswered'].map((each) => Number(each === as))
    assert.equal(await verify({ eth_call: kept }, { eth_call: now }), ['same', ...counts])
  })
s(
  'asks nothing of another block, or of a node that does not know it [teeth/verify-chain]',
  async () => {
    const kept = { eth_call: ok('0x1') }
    const told = (answer: object) => verify(kept, { eth_getBlockByNumber: answer })
    assert.equal(await told({ result: { hash: '0x1' } }), ['other', 0, 0, 0])
    assert.equal(await told({ result: null }), ['unknown', 0, 0, 0])
    assert.equal(await told(error(-32_000)), ['unknown', 0, 0, 0])
  },
)
s(
  'does not compare what is true of a moment, and compares more than one batch [teeth/verify-chain]',
  async () => {
    const moment = Object.fromEntries(
      ['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee'].map((name) => [
        name,
        ok('0x1'),
      ]),
    )
    assert.equal(await verify(moment, {}), ['same', 0, 0, 0])
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`eth_${n}`, ok(null)]))
    assert.equal(await verify(many, { eth_100: { result: 1 } }), ['same', 100, 1, 0])
    sizes.length = 0
    const { eth_100: _, ...hundred } = many
    assert.equal(await verify(hundred, {}), ['same', 100, 0, 0])
    assert.equal(sizes, [1, 50, 50])
    await waitUntilLeft(server)
  },
)
s.run()
