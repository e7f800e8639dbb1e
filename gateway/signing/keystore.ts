import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Static, Type } from 'typebox'
import { type Hex, keccak256 } from 'viem'

/** A key file that cannot be used. The text names the file and the fault, never what is in it. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError'
}

const scrypt = Type.Object({
  n: Type.Integer({ minimum: 2, maximum: 2 ** 20 }),
  r: Type.Integer({ minimum: 1, maximum: 32 }),
  p: Type.Integer({ minimum: 1, maximum: 16 }),
  dklen: Type.Literal(32),
  salt: Type.String(),
})
const pbkdf2 = Type.Object({
  c: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
  dklen: Type.Literal(32),
  prf: Type.Literal('hmac-sha256'),
  salt: Type.String(),
})
const head = {
  cipher: Type.Literal('aes-128-ctr'),
  ciphertext: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  cipherparams: Type.Object({ iv: Type.String({ pattern: '^[0-9a-fA-F]{32}$' }) }),
  mac: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
}
/** Web3 Secret Storage version 3, as `cast wallet` and geth write it. */
const Keystore = Type.Object({
  version: Type.Literal(3),
  crypto: Type.Union([
    Type.Object({ ...head, kdf: Type.Literal('scrypt'), kdfparams: scrypt }),
    Type.Object({ ...head, kdf: Type.Literal('pbkdf2'), kdfparams: pbkdf2 }),
  ]),
})
type Crypto = Static<typeof Keystore>['crypto']

const hex = (text: string) => Buffer.from(text, 'hex')

/** @throws KeystoreError when either file cannot be read, is not version 3, or the password is wrong */
export function readKeystore({
  keystorePath,
  passwordPath,
}: {
  readonly keystorePath: string
  readonly passwordPath: string
}): Hex {
  const password = readText(passwordPath).replace(/\r?\n$/, '')
  return decryptKeystore({ keystore: readText(keystorePath), password, name: keystorePath })
}

export function decryptKeystore({
  keystore,
  password,
  name,
}: {
  readonly keystore: string
  readonly password: string
  /** Names the file in errors. */
  readonly name: string
}): Hex {
  const { crypto } = parse(keystore, name)
  const key = deriveKey(crypto, { password, name })
  const ciphertext = hex(crypto.ciphertext)
  const mac = keccak256(Buffer.concat([key.subarray(16), ciphertext]), 'bytes')
  if (!timingSafeEqual(mac, hex(crypto.mac)))
    throw new KeystoreError(`${name}: the password does not open this keystore`)
  const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), hex(crypto.cipherparams.iv))
  return `0x${Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('hex')}`
}

function deriveKey(
  crypto: Crypto,
  { password, name }: { readonly password: string; readonly name: string },
): Buffer {
  if (crypto.kdf === 'pbkdf2') {
    const { c, dklen, salt } = crypto.kdfparams
    return pbkdf2Sync(password, hex(salt), c, dklen, 'sha256')
  }
  const { n, r, p, dklen, salt } = crypto.kdfparams
  try {
    return scryptSync(password, hex(salt), dklen, { N: n, r, p, maxmem: 256 * r * (n + p) })
  } catch (cause) {
    throw new KeystoreError(`${name}: scrypt takes no such n, r and p`, { cause })
  }
}

function parse(text: string, name: string): Static<typeof Keystore> {
  const value = parseJson(text, name)
  const ajv = new Ajv2020({ meta: false, validateSchema: false })
  if (!ajv.validate<Static<typeof Keystore>>(Keystore, value))
    throw new KeystoreError(`${name}: this is not a V3 keystore (scrypt or pbkdf2, aes-128-ctr)`)
  return value
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without its cause: the parser's message quotes the file, which may be a bare key.
    throw new KeystoreError(`${name}: this is not JSON`)
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new KeystoreError(`${path}: cannot be read`, { cause })
  }
}
