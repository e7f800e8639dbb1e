import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secp256k1 } from '@noble/curves/secp256k1'
import { type Hex, hexToBytes, keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { assert, suite } from '../../fixtures/test.ts'
import { createBlockingCall } from './blockingCall.ts'
import { createServiceKey } from './digestKey.ts'
import { decryptKeystore, KeystoreError } from './keystore.ts'
import {
  createEnvironmentSigner,
  createFileSigner,
  createKeySigner,
  createSigner,
  encodeDeploy,
} from './signer.ts'

const signing = suite('relay signer')
const factory = '0x000000000000000000000000000000000000fac7'
const owner = '0x00000000000000000000000000000000000a11ce'
const order = {
  owner,
  nonce: 7,
  gasLimit: 80_000n,
  maxFeePerGasWei: 20_000_000n,
  maxPriorityFeePerGasWei: 1_000_000n,
} as const

// The test vector of the Web3 Secret Storage definition, version 3.
const password = 'testpassword'
const secret: Hex = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const pbkdf2 = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
})
// Written by `cast wallet import`, as operators do. (The definition's scrypt vector has an N that OpenSSL
// refuses for its r; no tool writes such.)
const scrypt = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '1e1387176bdd5d1f12b3458b5dd433c2' },
    ciphertext: '480de3a4c1cae937cf0d76ea371bf41e9694207d9165464252e7ac3bda8760e6',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 8192,
      p: 1,
      r: 8,
      salt: '3c9460a8e90a47286ad691ad16b59aac6e110f8903d992b08b1f161975579df7',
    },
    mac: '405abfd9e5d5bb8415c719648f6f8a3dac41d4b6cb2cdfa778ec1e73adb36295',
  },
  id: '3999bcbf-de46-4fd2-9258-d134c4782808',
  version: 3,
})

signing(
  'P7: signs deploy(owner) to the factory with value 0, and the order has no other field',
  async () => {
    const privateKey = generatePrivateKey()
    const signer = createSigner({ chainId: 8453, factory, privateKey })
    const { raw, hash } = signer.signDeploy(order)
    const read = parseTransaction(raw)
    assert.equal(
      [read.to, read.data, read.value ?? 0n, read.chainId, read.nonce],
      [factory, encodeDeploy(owner), 0n, 8453, 7],
    )
    assert.equal([read.gas, read.maxFeePerGas], [80_000n, 20_000_000n])
    assert.is(hash, keccak256(raw))
    const from = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
    assert.is(from, privateKeyToAccount(privateKey).address)
    assert.is(signer.address, from)
  },
)
signing('signs the same bytes for the same order', () => {
  const signer = createSigner({ chainId: 8453, factory, privateKey: generatePrivateKey() })
  assert.equal(signer.signDeploy(order), signer.signDeploy(order))
})
signing('opens keystores with pbkdf2 (the published vector) and scrypt (written by cast)', () => {
  for (const keystore of [pbkdf2, scrypt])
    assert.is(decryptKeystore({ keystore, password, name: 'vector' }), secret)
})
signing('signs with a keystore file and its password file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'keystore-'))
  const [keystorePath, passwordPath] = [join(dir, 'key.json'), join(dir, 'password')]
  writeFileSync(keystorePath, scrypt)
  writeFileSync(passwordPath, `${password}\n`)
  const signer = createFileSigner({ chainId: 8453, factory, keystorePath, passwordPath })
  rmSync(dir, { recursive: true })
  assert.is(signer.address, privateKeyToAccount(secret).address)
})
signing('P12: refuses a bad key file without quoting it', () => {
  const refusal = (keystore: string, given = password) => {
    try {
      decryptKeystore({ keystore, password: given, name: 'key.json' })
    } catch (error) {
      assert.instance(error, KeystoreError)
      return `${(error as Error).message} ${String((error as Error).cause ?? '')}`
    }
    throw new Error('was accepted')
  }
  assert.match(refusal(scrypt, 'wrong'), /password does not open/)
  assert.not.match(refusal(scrypt, 'wrong'), /wrong/)
  assert.match(refusal(secret), /not JSON/)
  assert.not.match(refusal(secret), /7a28b5/)
  assert.match(refusal('{"version":1}'), /not a V3 keystore/)
  assert.match(refusal(scrypt.replace('8192', '1e12')), /not a V3 keystore/)
})
signing('refuses a key from the environment in live mode', () => {
  const key = { chainId: 8453, factory, privateKey: secret } as const
  assert.throws(() => createEnvironmentSigner({ mode: 'live', ...key }), /labs only/)
  assert.is(
    createEnvironmentSigner({ mode: 'offline', ...key }).address,
    privateKeyToAccount(secret).address,
  )
})

/** A key service at the other end of a worker, which takes its time. */
function startKeyService({ afterMs, timeoutMs }: { afterMs: number; timeoutMs?: number }) {
  const bytes = hexToBytes(secret)
  const { call, close } = createBlockingCall({
    module: new URL('../../fixtures/keyServiceWorker.ts', import.meta.url),
    data: { secret: bytes, afterMs },
    timeoutMs,
  })
  const key = createServiceKey({ publicKey: secp256k1.getPublicKey(bytes, true), sign: call })
  return { key, call, close }
}
signing(
  'signs with a key service just what a key file signs, though it answers otherwise',
  async () => {
    const service = startKeyService({ afterMs: 20, timeoutMs: 60_000 })
    const remote = createKeySigner({ chainId: 8453, factory, key: service.key })
    const local = createSigner({ chainId: 8453, factory, privateKey: secret })
    assert.is(remote.address, local.address)
    for (let nonce = 0; nonce < 8; nonce += 1)
      assert.equal(remote.signDeploy({ ...order, nonce }), local.signDeploy({ ...order, nonce }))
    assert.throws(() => service.call(new Uint8Array(32)), /does not sign that/)
    await service.close()
  },
)
signing('gives a key service that does not answer up after a set time', async () => {
  const service = startKeyService({ afterMs: 600_000, timeoutMs: 50 })
  const remote = createKeySigner({ chainId: 8453, factory, key: service.key })
  assert.throws(() => remote.signDeploy(order), /no answer within 50 ms/)
  await service.close()
})
signing('refuses the signature of another key', () => {
  const other = hexToBytes(generatePrivateKey())
  const key = createServiceKey({
    publicKey: secp256k1.getPublicKey(hexToBytes(secret), false),
    sign: (digest) => secp256k1.sign(digest, other).toDERRawBytes(),
  })
  const signer = createKeySigner({ chainId: 8453, factory, key })
  assert.throws(() => signer.signDeploy(order), /another key/)
})
signing.run()
