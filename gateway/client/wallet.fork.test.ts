import { type Address, type Hex, numberToHex } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createReader, SwapError, transact, type Wallet, type WalletCall } from './wallet.ts'

/** A wallet whose person changes a transaction while it waits. */
const s = suite('client wallet')
const anvil = await startAnvil()
const rpc = createRpc(anvil.rpcUrl)
const [address = '0x', to = '0x'] = (await rpc('eth_accounts')) as readonly Address[]
await rpc('evm_setAutomine', false)
s.after(() => anvil.close())

const call: WalletCall = { to, data: '0x1234', value: 1n }

/** Sends what it is asked for, then `instead` in its place once somebody has seen the first. */
function createWallet(instead: Partial<WalletCall>): Wallet {
  let price = 2n * 10n ** 9n
  let waiting: { readonly hash: Hex; readonly nonce: Hex } | undefined
  const send = async ({ to, data, value }: WalletCall, nonce: Hex) => {
    price *= 2n
    const fees = { gasPrice: numberToHex(price), gas: '0x186a0', nonce }
    const sent = { from: address, to, data, value: numberToHex(value), ...fees }
    return (await rpc('eth_sendTransaction', sent)) as Hex
  }
  return {
    address,
    async sendTransaction(asked) {
      const nonce = (await rpc('eth_getTransactionCount', address, 'latest')) as Hex
      waiting = { hash: await send(asked, nonce), nonce }
      return waiting.hash
    },
    async request({ method, params = [] }) {
      const answer = await rpc(method, ...(params as readonly unknown[]))
      if (waiting && method === 'eth_getTransactionByHash') {
        const { nonce } = waiting
        waiting = undefined
        await send({ ...call, ...instead }, nonce)
        await rpc('evm_mine')
      }
      return answer
    },
  }
}

s('takes no cancelled transaction for one that was made [22/replaced]', async () => {
  for (const instead of [{ to: address, data: '0x', value: 0n }, { data: '0x5678' }] as const) {
    const wallet = createWallet(instead)
    const error = await transact({ wallet, reader: createReader(wallet) }, call).catch(
      (cause: unknown) => cause,
    )
    assert.instance(error, SwapError)
    assert.is((error as SwapError).code, 'replaced')
  }
})

s('waits for the same at a higher price', async () => {
  const wallet = createWallet({})
  const { status } = await transact({ wallet, reader: createReader(wallet) }, call)
  assert.is(status, 'success')
})
s.run()
