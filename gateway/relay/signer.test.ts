import {
  concat,
  keccak256,
  pad,
  parseTransaction,
  recoverTransactionAddress,
  toFunctionSelector,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startKeyService } from '../../fixtures/access/keyService.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createMemoryKey } from '../signing/digestKey.ts'
import { createSigner } from './signer.ts'

const signing = suite('relay signer')
const place = { chainId: 8453, factory: '0x000000000000000000000000000000000000fac7' } as const
const owner = '0x00000000000000000000000000000000000a11ce'
/** `deploy(address)`, as the factory's ABI has it. */
const calldata = concat([toFunctionSelector('deploy(address)'), pad(owner)])
const order = {
  owner,
  nonce: 7,
  gasLimit: 80_000n,
  maxFeePerGasWei: 20_000_000n,
  maxPriorityFeePerGasWei: 1_000_000n,
} as const
const privateKey = generatePrivateKey()
const local = createSigner({ ...place, key: createMemoryKey(privateKey) })

signing(
  'P7: signs deploy(owner) to the factory with value 0, whatever else an order may bring [relay/signs-deploy-only]',
  async () => {
    const loaded = { ...order, to: owner, value: 1n, data: '0x01', chainId: 1 }
    for (const given of [order, loaded]) {
      const { raw, hash } = await local.signDeploy(given)
      const read = parseTransaction(raw)
      assert.equal(
        [read.to, read.data, read.value ?? 0n, read.chainId, read.nonce],
        [place.factory, calldata, 0n, 8453, 7],
      )
      assert.equal([read.gas, read.maxFeePerGas], [80_000n, 20_000_000n])
      assert.is(hash, keccak256(raw))
      const serialized = { serializedTransaction: raw as `0x02${string}` }
      assert.is(
        await recoverTransactionAddress(serialized),
        privateKeyToAccount(privateKey).address,
      )
    }
    assert.is(local.address, privateKeyToAccount(privateKey).address)
  },
)
signing('signs the same bytes for the same order', async () => {
  assert.equal(await local.signDeploy(order), await local.signDeploy(order))
})
signing('signs with a key service just what it signs with a key of its own', async () => {
  const service = startKeyService({ privateKey, afterMs: 20 })
  const remote = createSigner({ ...place, key: service.key })
  assert.is(remote.address, local.address)
  for (let nonce = 0; nonce < 8; nonce += 1)
    assert.equal(
      await remote.signDeploy({ ...order, nonce }),
      await local.signDeploy({ ...order, nonce }),
    )
})
signing.run()
