import { assert, suite } from '../../fixtures/test.ts'
import { addressOf, word } from '../testing/answers.ts'
import { describeCall, keyOf, type Pin, toPackCall } from './packCall.ts'

const s = suite('simulator/pack/packCall')
const blockHash = `0x${'aB'.repeat(32)}` as const
const pin: Pin = { chainId: 8453, blockNumber: 291n, blockHash }
const head = '0x123'
const account = addressOf('a')
const ask = (method: string, ...params: readonly unknown[]) => toPackCall({ method, params }, pin)
/** The form in which a read is kept. */
function formOf(method: string, ...params: readonly unknown[]) {
  const asked = ask(method, ...params)
  return asked.kind === 'read' ? [asked.call.method, ...asked.call.params] : asked.outcome
}
const known = (result: unknown) => ({ kind: 'known', outcome: { ok: true, result } })
const refusal = (code: number, message: string) => ({ ok: false, code, message, data: undefined })

s('knows of itself where the chain stands [teeth/pack-known]', () => {
  assert.equal(ask('eth_chainId'), known('0x2105'))
  assert.equal(ask('net_version'), known('8453'))
  assert.equal(ask('eth_blockNumber'), known(head))
  assert.equal(ask('eth_syncing'), known(false))
})
s(
  'refuses what is no read, and the form of an account that it has no need of [teeth/pack-known]',
  () => {
    const none = refusal(-32601, 'a pack answers reads only')
    for (const method of [
      'eth_sendRawTransaction',
      'eth_sign',
      'eth_newFilter',
      'eth_uninstallFilter',
      'eth_getFilterChanges',
      'eth_subscribe',
      'eth_unsubscribe',
      'eth_accounts',
      'personal_sign',
      'admin_peers',
      'miner_start',
      'anvil_setCode',
      'evm_mine',
      'hardhat_reset',
      'engine_newPayloadV1',
      'txpool_content',
    ])
      assert.equal(formOf(method), none, method)
    assert.equal(
      formOf('eth_getAccountInfo', account, head),
      refusal(-32601, 'the method does not exist'),
    )
  },
)
s('spells the block of each read by its number, wherever that stands [teeth/pack-tags]', () => {
  for (const [method, ...before] of [
    ['eth_getBalance', account],
    ['eth_getCode', account],
    ['eth_getTransactionCount', account],
    ['eth_getStorageAt', account, word(1n)],
    ['eth_getProof', account, []],
    ['eth_call', { to: account }],
    ['eth_estimateGas', { to: account }],
    ['eth_createAccessList', { to: account }],
    ['eth_simulateV1', { blockStateCalls: [] }],
    ['eth_feeHistory', '0x4'],
    ['debug_traceCall', { to: account }],
    ['eth_getBlockByNumber'],
    ['eth_getBlockReceipts'],
    ['eth_getBlockTransactionCountByNumber'],
    ['eth_getUncleCountByBlockNumber'],
  ] as const) {
    const kept = [method, ...before, head]
    assert.equal(formOf(method, ...before, 'latest', 'more'), [...kept, 'more'], method)
    assert.equal(formOf(method, ...before), kept, method)
  }
})
s('spells one block in one way, and another by its own [teeth/pack-tags]', () => {
  const tagOf = (tag: unknown) => {
    const form = formOf('eth_getCode', account, tag)
    return Array.isArray(form) ? form[2] : form
  }
  for (const tag of [
    undefined,
    null,
    'latest',
    'pending',
    'safe',
    'finalized',
    'unsafe',
    '0x123',
    '0x0123',
    blockHash,
    blockHash.toLowerCase(),
    { blockHash },
    { blockHash, requireCanonical: true },
    { blockNumber: '0x123' },
  ])
    assert.is(tagOf(tag), head, JSON.stringify(tag))
  assert.equal([tagOf('earliest'), tagOf('0x0122')], ['0x0', '0x122'])
  const other = `0x${'CD'.repeat(32)}`
  const lower = { blockHash: other.toLowerCase() }
  assert.equal([tagOf(other), tagOf({ blockHash: other })], [lower, lower])
  // What is no block is handed on.
  assert.equal(
    [tagOf('0x'), tagOf('newest'), tagOf(7), tagOf({ b: 1, a: 'X' })],
    ['0x', 'newest', 7, { a: 'X', b: 1 }],
  )
})
s('has no block after its own [teeth/pack-tags]', () => {
  assert.equal(ask('eth_getBlockByNumber', '0x124', false), known(null))
  assert.equal(formOf('eth_getCode', account, '0x124'), refusal(-32000, 'header not found'))
  assert.equal(
    formOf('eth_call', {}, { blockNumber: '0x124' }),
    refusal(-32000, 'header not found'),
  )
})
s('asks for the pinned block by number, whichever way it was asked [teeth/pack-tags]', () => {
  for (const [byHash, byNumber] of [
    ['eth_getBlockByHash', 'eth_getBlockByNumber'],
    ['eth_getBlockTransactionCountByHash', 'eth_getBlockTransactionCountByNumber'],
    ['eth_getUncleCountByBlockHash', 'eth_getUncleCountByBlockNumber'],
  ] as const) {
    assert.equal(formOf(byHash, blockHash.toUpperCase().replace('X', 'x'), true), [
      byNumber,
      head,
      true,
    ])
    assert.equal(formOf(byHash, word(7n), true), [byHash, word(7n), true])
    assert.equal(formOf(byHash, 7), [byHash, 7])
  }
  assert.equal(formOf('eth_getTransactionByHash', blockHash), [
    'eth_getTransactionByHash',
    blockHash.toLowerCase(),
  ])
})
s('keeps one form of a call, whatever order and letters it was asked in [teeth/pack-forms]', () => {
  const to = account.toUpperCase().replace('X', 'x')
  const one = ask('eth_call', { to, data: '0xAB', gas: undefined }, head)
  const other = ask('eth_call', { data: '0xab', to: account })
  assert.equal(one, other)
  const keys = [one, other].map((asked) => (asked.kind === 'read' ? keyOf(asked.call) : ''))
  assert.is(keys[0], keys[1])
  assert.is(keys[0], `eth_call [{"data":"0xab","to":"${account}"},"${head}"]`)
  assert.equal(formOf('web3_sha3', [undefined, 'Text', 1, true], null), [
    'web3_sha3',
    [null, 'Text', 1, true],
    null,
  ])
  assert.equal(formOf('eth_getStorageAt', account, '0xA', head), [
    'eth_getStorageAt',
    account,
    word(10n),
    head,
  ])
  const upper = `0x${'AB'.repeat(32)}`
  assert.equal(formOf('eth_getStorageAt', account, upper), [
    'eth_getStorageAt',
    account,
    upper.toLowerCase(),
    head,
  ])
  const tooLong = `0x${'0'.repeat(65)}`
  assert.equal(formOf('eth_getStorageAt', account, tooLong), [
    'eth_getStorageAt',
    account,
    tooLong,
    head,
  ])
  assert.equal(formOf('eth_getStorageAt', account, 7), ['eth_getStorageAt', account, 7, head])
})
s('asks for logs up to its own block, of one block by its number [teeth/pack-logs]', () => {
  const logs = (filter?: object) => formOf('eth_getLogs', ...(filter ? [filter] : []))
  const address = account
  const from = (fromBlock: string, toBlock: string) => [
    'eth_getLogs',
    { address, fromBlock, toBlock },
  ]
  assert.equal(logs({ address }), from(head, head))
  assert.equal(logs({ address, fromBlock: '0x01', toBlock: '0x0100' }), from('0x1', '0x100'))
  assert.equal(logs({ address, fromBlock: 'earliest', toBlock: '0x999' }), from('0x0', head))
  assert.equal(ask('eth_getLogs', { address, fromBlock: '0x124' }), known([]))
  assert.equal(logs({ address, blockHash }), from(head, head))
  const other = `0x${'cd'.repeat(32)}`
  assert.equal(logs({ blockHash: other.toUpperCase().replace('X', 'x'), address }), [
    'eth_getLogs',
    { address, blockHash: other },
  ])
  assert.equal(logs(), ['eth_getLogs', { fromBlock: head, toBlock: head }])
})
s('says what a missing read is about, in so many letters [teeth/pack-forms]', () => {
  const describe = (param: string) => describeCall({ method: 'eth_call', params: [param] }, pin)
  assert.is(describe('x'), 'eth_call ["x"] of chain 8453 at block 291')
  const whole = 'x'.repeat(396)
  assert.is(describe(whole), `eth_call ["${whole}"] of chain 8453 at block 291`)
  assert.is(describe(`${whole}y`), `eth_call ["${whole}y"… of chain 8453 at block 291`)
})
s.run()
