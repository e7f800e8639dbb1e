import { pad, parseTransaction, recoverTransactionAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createMemoryKey } from './digestKey.ts'
import { createFillSigner } from './fillSigner.ts'

const s = suite('fillSigner')

s(
  'signs a call to its own account that does nothing but use a nonce up [teeth/fill-signed]',
  async () => {
    const key = createMemoryKey(pad('0x77'))
    const signer = createFillSigner({ chainId: 8453, key })
    assert.equal([signer.address, signer.chainId, signer.turns.ended()], [key.address, 8453, 0])
    const prices = { gasLimit: 25_200n, maxFeePerGasWei: 9n, maxPriorityFeePerGasWei: 3n }
    const { raw } = await signer.signFill({ nonce: 7, ...prices })
    const { to, value = 0n, data = '0x', ...signed } = parseTransaction(raw)
    assert.equal([to?.toLowerCase(), value, data], [key.address.toLowerCase(), 0n, '0x'])
    assert.equal([signed.chainId, signed.nonce, signed.gas], [8453, 7, 25_200n])
    assert.equal([signed.maxFeePerGas, signed.maxPriorityFeePerGas], [9n, 3n])
    const serializedTransaction = raw as `0x02${string}`
    assert.is(await recoverTransactionAddress({ serializedTransaction }), key.address)
  },
)
s.run()
