import type { Hash } from 'viem'
import { startAnvil } from '../../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../../fixtures/chains/send.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { openRpcGate } from './rpcGate.ts'

/**
 * What Otterscan 2.x asks of its node, with its parameters, through the lab's public door to a real anvil:
 * src/useProvider.ts, useLatestBlock.ts, useErigonHooks.ts and search/search.ts of github.com/otterscan/otterscan.
 */
const s = suite('explorer')
const anvil = await startAnvil()
const gate = await openRpcGate({ upstreamUrl: anvil.rpcUrl, host: '127.0.0.1', port: 0 })
s.after(async () => {
  await gate.close()
  await anvil.close()
})
const node = createRpc(anvil.rpcUrl)
const url = `http://127.0.0.1:${gate.port}`
const page = 25
const explorer = 'http://127.0.0.1:5100'

type Call = readonly [method: string, ...params: readonly unknown[]]
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown }

/** As ethers sends them: one batch, whose answers are told apart by their ids. */
async function ask<results extends readonly unknown[]>(...calls: readonly Call[]) {
  const batch = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const headers = { 'content-type': 'application/json', origin: explorer }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(batch) })
  assert.is(response.headers.get('access-control-allow-origin'), explorer)
  const answers = (await response.json()) as readonly Answer[]
  const results = calls.map(([method], id) => {
    const { result, error } = answers.find((answer) => answer.id === id) ?? {}
    assert.is(error, undefined, `${method}: ${JSON.stringify(error)}`)
    return result
  })
  // The shapes that this test names; what differs fails below.
  return results as unknown as results
}

const [sender = '', taker = ''] = (await node('eth_accounts')) as readonly string[]
/** Of a contract whose code is the byte 1. */
const initCode = '0x600160005360016000f3'
const send = async (transaction: object) => {
  const hash = await node('eth_sendTransaction', { from: sender, ...transaction })
  return waitForReceipt({ rpcUrl: anvil.rpcUrl, hash: hash as Hash })
}
const paid = await send({ to: taker, value: '0x1' })
const created = await send({ data: initCode })
const height = Number(paid.blockNumber)

s('lets a page of another origin ask', async () => {
  const response = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: explorer,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
  assert.is(response.status, 204)
  assert.is(response.headers.get('access-control-allow-origin'), explorer)
  assert.match(response.headers.get('access-control-allow-headers') ?? '', 'content-type')
})

s('passes the probe with which it starts, and shows the head', async () => {
  const [chainId, head, header, level] = await ask<[string, string, { number: string }, number]>(
    ['eth_chainId'],
    ['eth_blockNumber'],
    ['erigon_getHeaderByNumber', 'latest'],
    ['ots_getApiLevel'],
  )
  assert.is(chainId, '0x7a69')
  assert.is(header.number, head)
  assert.ok(level >= 8, 'Otterscan asks for level 8')
  const [byNumber] = await ask<[{ number: string }]>(['erigon_getHeaderByNumber', Number(head)])
  assert.is(byNumber.number, head)
})

s('shows a block by number and by hash, with its transactions', async () => {
  type Details = { block: { hash: string }; issuance: object; totalFees: string }
  type Page = { fullblock: { transactions: { hash: string }[] }; receipts: object[] }
  const [byNumber, byHash, transactions] = await ask<[Details, Details, Page]>(
    ['ots_getBlockDetails', height],
    ['ots_getBlockDetailsByHash', paid.blockHash],
    ['ots_getBlockTransactions', height, 0, page],
  )
  assert.is(byNumber.block.hash, paid.blockHash)
  assert.equal(byHash, byNumber)
  assert.ok(BigInt(byNumber.totalFees) > 0n)
  assert.equal(
    transactions.fullblock.transactions.map(({ hash }) => hash),
    [paid.transactionHash],
  )
  assert.is(transactions.receipts.length, 1)
})

s('shows an address: its balance, its code, what made it, what it sent', async () => {
  type Found = { txs: { hash: string }[]; firstPage: boolean; lastPage: boolean }
  const contract = created.contractAddress
  const [balance, hasCode, code, creator, before, after, byNonce] = await ask<
    [string, boolean, string, { hash: string; creator: string }, Found, Found, string]
  >(
    ['eth_getBalance', taker, 'latest'],
    ['ots_hasCode', contract, 'latest'],
    ['eth_getCode', contract, 'latest'],
    ['ots_getContractCreator', contract],
    ['ots_searchTransactionsBefore', sender, 0, page],
    ['ots_searchTransactionsAfter', sender, 0, page],
    ['ots_getTransactionBySenderAndNonce', sender, 0],
  )
  assert.ok(BigInt(balance) > 0n)
  assert.is(hasCode, true)
  assert.is(code, '0x01')
  assert.equal([creator.hash, creator.creator], [created.transactionHash, sender])
  const hashes = [created.transactionHash, paid.transactionHash]
  for (const { txs } of [before, after])
    assert.equal(txs.map(({ hash }) => hash).sort(), hashes.sort())
  assert.is(byNonce, paid.transactionHash)
})

s('shows a transaction: its receipt, its calls, its error', async () => {
  const hash = paid.transactionHash
  const [transaction, receipt, inner, trace, error] = await ask<
    [{ hash: string }, { status: string }, unknown[], unknown[], string]
  >(
    ['eth_getTransactionByHash', hash],
    ['eth_getTransactionReceipt', hash],
    ['ots_getInternalOperations', hash],
    ['ots_traceTransaction', hash],
    ['ots_getTransactionError', hash],
  )
  assert.equal([transaction.hash, receipt.status, error], [hash, '0x1', '0x'])
  assert.ok(Array.isArray(inner) && trace.length === 1)
})
s.run()
