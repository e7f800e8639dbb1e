import { secp256k1 } from '@noble/curves/secp256k1'
import { type Hex, hexToBytes, keccak256, recoverAddress, serializeSignature, size } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startKeyService } from '../../fixtures/access/keyService.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createMemoryKey, createServiceKey } from './digestKey.ts'

const keys = suite('digest key')
const privateKey = generatePrivateKey()
const { address } = privateKeyToAccount(privateKey)
const digestAt = (index: number): Hex => keccak256(new Uint8Array([index]))

keys('signs digests so that its address can be told from them', async () => {
  const key = createMemoryKey(privateKey)
  assert.is(key.address, address)
  for (let index = 0; index < 16; index += 1) {
    const parts = await key.signDigest(digestAt(index))
    assert.equal([size(parts.r), size(parts.s)], [32, 32])
    const signature = serializeSignature(parts)
    assert.is(await recoverAddress({ hash: digestAt(index), signature }), address)
  }
})
keys(
  'takes DER, a high `s` and an unknown parity of a key service that signs at random',
  async () => {
    const service = startKeyService({ privateKey, afterMs: 1, isRandom: true })
    assert.is(service.key.address, address)
    for (let index = 0; index < 16; index += 1) {
      const first = await service.key.signDigest(digestAt(index))
      assert.is.not(first.r, (await service.key.signDigest(digestAt(index))).r)
      assert.ok(BigInt(first.s) <= secp256k1.CURVE.n / 2n)
      const signature = serializeSignature(first)
      assert.is(await recoverAddress({ hash: digestAt(index), signature }), address)
    }
  },
)
keys('refuses the signature of another key', async () => {
  const other = hexToBytes(generatePrivateKey())
  const key = createServiceKey({
    publicKey: secp256k1.getPublicKey(hexToBytes(privateKey), false),
    sign: async (digest) => secp256k1.sign(digest, other).toDERRawBytes(),
  })
  const refusal = await key.signDigest(digestAt(0)).catch((error: Error) => error.message)
  assert.match(String(refusal), /another key/)
})
keys.run()
