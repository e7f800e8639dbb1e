import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Hex, hexToBytes, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { assert, suite } from '../../fixtures/test.ts'
import { createMemoryKey } from './digestKey.ts'
import { decryptKeystore, KeystoreError } from './keystore.ts'
import { openRelayerKey } from './openRelayerKey.ts'

const keys = suite('relayer key')

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

const service = new Worker(new URL('../../fixtures/access/keyServer.ts', import.meta.url), {
  workerData: { secret: hexToBytes(secret) },
})
const [port] = (await once(service, 'message')) as [number]
keys.after(async () => void (await service.terminate()))

/** Of a keystore that has to be refused. */
function refusal(keystore: string, given = password): string {
  try {
    decryptKeystore({ keystore, password: given, name: 'key.json' })
  } catch (error) {
    assert.instance(error, KeystoreError)
    return `${(error as Error).message} ${String((error as Error).cause ?? '')}`
  }
  throw new Error('was accepted')
}

keys('opens keystores with pbkdf2 (the published vector) and scrypt (written by cast)', () => {
  for (const keystore of [pbkdf2, scrypt])
    assert.is(decryptKeystore({ keystore, password, name: 'vector' }), secret)
})
keys('comes from a keystore file and its password file, in every mode [relay/key-sources]', () => {
  const dir = mkdtempSync(join(tmpdir(), 'keystore-'))
  const source = { keystorePath: join(dir, 'key.json'), passwordPath: join(dir, 'password') }
  writeFileSync(source.keystorePath, scrypt)
  writeFileSync(source.passwordPath, `${password}\n`)
  const { address } = privateKeyToAccount(secret)
  for (const mode of ['offline', 'forked', 'live'] as const)
    assert.is(openRelayerKey({ mode, chainId: 8453, source }).address, address)
  const gone = { ...source, keystorePath: join(dir, 'none.json') }
  assert.throws(
    () => openRelayerKey({ mode: 'live', chainId: 8453, source: gone }),
    (error: Error) =>
      error instanceof KeystoreError && /none\.json: cannot be read/.test(error.message),
  )
  rmSync(dir, { recursive: true })
})
keys('comes from a key service over HTTP, which signs what a key in memory signs', async () => {
  const publicKey = privateKeyToAccount(secret).publicKey
  const open = (path: string, key = publicKey) => {
    const source = { keyUrl: `http://127.0.0.1:${port}${path}?token=canary`, publicKey: key }
    return openRelayerKey({ mode: 'live', chainId: 8453, source, timeoutMs: 60_000 })
  }
  const digest = keccak256('0x01')
  const key = open('/sign')
  assert.is(key.address, privateKeyToAccount(secret).address)
  assert.equal(await key.signDigest(digest), await createMemoryKey(secret).signDigest(digest))
  const another = privateKeyToAccount(`0x${'1'.repeat(64)}`).publicKey
  for (const [path, refusal, of] of [
    ['/nonsense', 'the key service answers something that is no signature', publicKey],
    ['/empty', 'the key service answers something that is no signature', publicKey],
    ['/null', 'the key service answers something that is no signature', publicKey],
    ['/unknown', 'the key service refuses to sign', publicKey],
    ['/sign', 'the key service signed with another key', another],
  ] as const)
    assert.is(
      await open(path, of)
        .signDigest(digest)
        .catch((error: Error) => error.message),
      refusal,
    )
})
keys('comes from the environment in labs, never in live mode [relay/key-environment]', () => {
  const bare = { chainId: 8453, source: { privateKey: secret } } as const
  const { address } = privateKeyToAccount(secret)
  for (const mode of ['offline', 'forked'] as const)
    assert.is(openRelayerKey({ mode, ...bare }).address, address)
  assert.throws(() => openRelayerKey({ mode: 'live', ...bare }), /labs only/)
})
keys('P12: refuses a bad key file without quoting it', () => {
  assert.match(refusal(scrypt, 'wrong'), /password does not open/)
  assert.not.match(refusal(scrypt, 'wrong'), /wrong/)
  assert.match(refusal(secret), /not JSON/)
  assert.not.match(refusal(secret), /7a28b5/)
  assert.match(refusal('{"version":1}'), /not a V3 keystore/)
  assert.match(refusal(scrypt.replace('8192', '1e12')), /not a V3 keystore/)
})
keys('takes work up to what a tool may write, and no more [teeth/keystore-bounds]', () => {
  const withWork = (params: object) => {
    const { crypto, ...rest } = JSON.parse('c' in params ? pbkdf2 : scrypt)
    const kdfparams = { ...crypto.kdfparams, n: 2, ...params }
    const keystore = JSON.stringify({ ...rest, crypto: { ...crypto, kdfparams } })
    return refusal(keystore)
  }
  for (const params of [{ c: 1 }, { r: 1 }, { r: 32 }, { p: 1 }, { p: 16 }, { n: 2 }])
    assert.match(withWork(params), /password does not open/)
  // Told by scrypt itself, which takes powers of two.
  for (const n of [3, 2 ** 20 - 1]) assert.match(withWork({ n }), /key.json: scrypt takes no such/)
  for (const params of [
    { c: 0 },
    { c: 10_000_001 },
    ...[0, 33].map((r) => ({ r })),
    ...[0, 17].map((p) => ({ p })),
    ...[1, 2 ** 20 + 1, 2 ** 21].map((n) => ({ n })),
  ])
    assert.match(withWork(params), /not a V3 keystore/)
})
keys.run()
