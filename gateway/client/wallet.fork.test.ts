import { type Address, type Hex, numberToHex } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import {
  type Call,
  createReader,
  SwapError,
  transact,
  type Wallet,
  type WalletCall,
} from './wallet.ts'

/** A wallet whose person changes a transaction while it waits. */
const s = suite('client wallet')
const anvil = await startAnvil()
const rpc = createRpc(anvil.rpcUrl)
const [address = '0x', to = '0x'] = (await rpc('eth_accounts')) as readonly Address[]
await rpc('evm_setAutomine', false)
s.after(() => anvil.close())

const chainId = 31_337
const call: Call = { to, data: '0x1234', value: 1n }
const send = (wallet: Wallet) => transact({ wallet, reader: createReader(wallet), chainId }, call)

/** Sends what it is asked for, then `instead` in its place once somebody has seen the first. */
function createWallet(instead: Partial<Call>): Wallet {
  let price = 2n * 10n ** 9n
  let waiting: { readonly hash: Hex; readonly nonce: Hex } | undefined
  const sign = async ({ to, data, value }: Call, nonce: Hex) => {
    price *= 2n
    const fees = { gasPrice: numberToHex(price), gas: '0x186a0', nonce }
    const sent = { from: address, to, data, value: numberToHex(value), ...fees }
    return (await rpc('eth_sendTransaction', sent)) as Hex
  }
  return {
    address,
    async sendTransaction(asked) {
      const nonce = (await rpc('eth_getTransactionCount', address, 'latest')) as Hex
      waiting = { hash: await sign(asked, nonce), nonce }
      return waiting.hash
    },
    async request({ method, params = [] }) {
      const answer = await rpc(method, ...(params as readonly unknown[]))
      if (waiting && method === 'eth_getTransactionByHash') {
        const { nonce } = waiting
        waiting = undefined
        await sign({ ...call, ...instead }, nonce)
        await rpc('evm_mine')
      }
      return answer
    },
  }
}

s('takes no cancelled transaction for one that was made [22/replaced]', async () => {
  for (const instead of [{ to: address, data: '0x', value: 0n }, { data: '0x5678' }] as const) {
    const wallet = createWallet(instead)
    const error = await send(wallet).catch((cause: unknown) => cause)
    assert.instance(error, SwapError)
    assert.is((error as SwapError).code, 'replaced')
  }
})

s('waits for the same at a higher price', async () => {
  const wallet = createWallet({})
  const { status } = await send(wallet)
  assert.is(status, 'success')
})

s('sends nothing where its person has changed the network meanwhile [22/pinned]', async () => {
  const count = () => rpc('eth_getTransactionCount', address, 'pending')
  const before = await count()
  const moved: Wallet['request'] = async ({ method, params = [] }) =>
    method === 'eth_chainId' ? '0xa4b1' : rpc(method, ...(params as readonly unknown[]))
  const own = async () => before as Hex
  for (const wallet of [
    { address, request: moved },
    { address, request: moved, sendTransaction: own },
  ]) {
    const error = await send(wallet).catch((cause: unknown) => cause)
    assert.equal([error instanceof SwapError && error.code, await count()], ['wrong_chain', before])
  }
})

s('says in the transaction itself where it belongs [22/pinned]', async () => {
  const stopped = new Error('the person was asked')
  const asked: unknown[] = []
  const request: Wallet['request'] = async ({ method, params = [] }) => {
    if (method !== 'eth_sendTransaction') return rpc(method, ...(params as readonly unknown[]))
    asked.push((params as readonly unknown[])[0])
    throw stopped
  }
  const sendTransaction = async (given: WalletCall) => {
    asked.push(given)
    throw stopped
  }
  for (const wallet of [
    { address, request },
    { address, request, sendTransaction },
  ])
    assert.is(await send(wallet).catch((cause: unknown) => cause), stopped)
  const sent = { from: address, to, data: '0x1234', value: '0x1', chainId: '0x7a69' }
  assert.equal(asked, [sent, { ...call, chainId }])
})
s.run()
