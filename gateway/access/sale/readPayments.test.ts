import {
  type Hex,
  numberToHex,
  padHex,
  type RpcLog,
  type TransactionReceipt,
  toEventHash,
} from 'viem'
import {
  purchasedLog,
  type SimLog,
  transferLog,
  usedLog,
} from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { isBundle, isSafeCall, readPaidAmount, readPayments } from './readPayments.ts'

const s = suite('readPayments')
const toAddress = (id: number) => padHex(numberToHex(id), { size: 20 })
const [token, contract, payer, other] = [1, 2, 3, 4].map(toAddress) as [Hex, Hex, Hex, Hex]
const [executor, pool] = [5, 6].map(toAddress) as [Hex, Hex]
const toWord = (id: number) => padHex(numberToHex(id), { size: 32 })
const [key, nonce, unbound] = [toWord(7), toWord(8), toWord(0)]

const receiptOf = (...logs: readonly SimLog[]) =>
  ({ logs: logs.map((log, logIndex) => ({ ...log, logIndex: 10 + logIndex })) }) as unknown as Pick<
    TransactionReceipt,
    'logs'
  >
const read = (...logs: readonly SimLog[]) =>
  readPayments(receiptOf(...logs), {
    address: contract,
    executor,
    token: { address: token, name: 'USD Coin', version: '2' },
  })
const transfer = (value: bigint, { from = payer, to = contract, of = token } = {}) =>
  transferLog(of, { from, to, value })
const purchase = (amount: bigint, { keyId = key, by = contract, ref = unbound } = {}) =>
  purchasedLog(by, { keyId, payer: other, quotes: 1n, amount, ref })
const use = (from = payer, by = token) => usedLog(by, { from, nonce })
const plain = { boundTo: undefined, authorization: undefined }

s('a transfer to the contract pays for whom it is from [claims/logs]', () => {
  assert.equal(read(transfer(5n), transfer(7n, { from: other })), [
    { logIndex: 10, payer, amount: 5n, ...plain },
    { logIndex: 11, payer: other, amount: 7n, ...plain },
  ])
})
s('what goes elsewhere, or others say, pays nothing [claims/logs]', () => {
  const logs = [
    transfer(5n, { to: other }),
    transfer(5n, { of: other }),
    transfer(5n, { of: contract }),
    purchase(5n, { by: token }),
    purchase(5n, { by: other }),
  ]
  for (const log of logs) assert.equal(read(log), [])
})
s('a purchase stands for the transfer of its amount before it, and no other [claims/logs]', () => {
  const bought = { payer: other, boundTo: key, authorization: undefined }
  const own = (value: bigint) => transfer(value, { from: other })
  assert.equal(read(own(7n), own(7n), transfer(4n), purchase(7n), own(7n)), [
    { logIndex: 10, payer: other, amount: 7n, ...plain },
    { logIndex: 12, payer, amount: 4n, ...plain },
    { logIndex: 13, ...bought, amount: 7n },
    { logIndex: 14, payer: other, amount: 7n, ...plain },
  ])
  for (const [from, came] of [
    [other, 9n],
    [other, 3n],
    [payer, 7n],
  ] as const)
    assert.equal(read(transfer(came, { from }), purchase(7n)), [
      { logIndex: 10, payer: from, amount: came, ...plain },
      { logIndex: 11, ...bought, amount: 0n },
    ])
  assert.equal(
    read(own(2n), purchase(2n), purchase(2n)).map(({ amount }) => amount),
    [2n, 0n],
  )
})
/** What a swap yields, up to where the executor has passed it on. */
const swapped = [transfer(7n, { from: pool, to: executor }), transfer(7n, { from: executor })]
s('stands for what its payer, its executor or its own authorization brought [claims/logs]', () => {
  const bought = [{ payer: other, amount: 7n, boundTo: key, authorization: undefined }]
  for (const logs of [
    [transfer(7n, { from: other }), purchase(7n)],
    [...swapped, purchase(7n)],
    [use(other), transfer(7n, { from: other }), purchase(7n, { ref: nonce })],
  ])
    assert.equal(
      read(...logs).map(({ logIndex: _, ...payment }) => payment),
      bought,
    )
})
for (const [what, carried, authorization] of [
  ['an authorization', [use(), transfer(7n)], { from: payer, nonce }],
  ['a transfer', [transfer(7n)], undefined],
] as const)
  s(
    `leaves ${what} of another's, carried in within a purchase, to who paid [attack/nested]`,
    () => {
      for (const logs of [
        [...swapped, ...carried],
        [...carried, ...swapped],
      ]) {
        const [carriedIn, bought] = read(...logs, purchase(7n))
        assert.equal([carriedIn?.payer, carriedIn?.authorization], [payer, authorization])
        assert.equal([bought?.payer, bought?.amount], [other, 7n])
      }
    },
  )
s('nor is its own what another swaps and pays, carried in as well [attack/nested-swap]', () => {
  const carried = [transfer(7n, { from: pool, to: payer }), transfer(7n)]
  for (const logs of [
    [...swapped, ...carried],
    [...carried, ...swapped],
  ]) {
    const [carriedIn, bought] = read(...logs, purchase(7n))
    assert.equal([carriedIn?.payer, bought?.amount], [payer, 7n])
  }
})
s('a purchase that names no key is bound to none [claims/logs]', () => {
  const [bought] = read(transfer(7n), purchase(7n, { keyId: unbound }))
  assert.is(bought?.boundTo, undefined)
})
s('an authorization moves the next transfer of who signed it, and no other [claims/logs]', () => {
  const signed = { from: payer, nonce }
  const authorizations = (...logs: readonly SimLog[]) =>
    read(...logs).map(({ authorization }) => authorization)
  assert.equal(authorizations(use(), transfer(5n)), [signed])
  assert.equal(authorizations(use(), transfer(5n), transfer(5n)), [signed, undefined])
  assert.equal(authorizations(use(), transfer(5n, { to: other }), transfer(5n)), [undefined])
  assert.equal(authorizations(use(other), transfer(5n)), [undefined])
  assert.equal(authorizations(use(payer, contract), transfer(5n)), [undefined])
  assert.equal(authorizations(transfer(5n), use()), [undefined])
})
s('knows who only carries in what others have signed [claims/carrier-logs]', () => {
  const logged = (event: string) =>
    receiptOf(transfer(5n), { address: other, topics: [toEventHash(event)], data: '0x' })
  const bundle = 'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'
  const safes = ['ExecutionSuccess(bytes32,uint256)', 'ExecutionFromModuleSuccess(address)']
  assert.equal([isBundle(logged(bundle)), isSafeCall(logged(bundle))], [true, false])
  for (const safe of safes)
    assert.equal([isBundle(logged(safe)), isSafeCall(logged(safe))], [false, true])
  assert.equal([isBundle(receiptOf(use())), isSafeCall(receiptOf(use()))], [false, false])
})
s('reads again what a log said was paid [claims/logs]', () => {
  const logs = [use(), transfer(5n), purchase(7n)].map((log, index) => ({
    ...log,
    logIndex: numberToHex(10 + index),
  })) as unknown as RpcLog[]
  assert.equal(
    [9, 10, 11, 12].map((index) => readPaidAmount(logs, index)),
    [undefined, undefined, 5n, 7n],
  )
})
s.run()
