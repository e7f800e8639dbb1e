import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { type LinkedDay, type SignCheckpoint, toSigned } from './checkpoints.ts'

/** An Ed25519 key's seed in PKCS #8 (RFC 8410). */
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The pepper's own key: a database that leaks, or is changed behind the gateways' back, holds no key to sign with. */
function derive(pepper: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', pepper, '', 'forkyard ledger checkpoints', 32))
  const key = Buffer.concat([seedPrefix, seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

const toText = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')

/** The public key that checkpoints of this pepper are signed with. */
export const checkpointPublicKey = (pepper: string): string => toText(derive(pepper))

/** Those that checkpoints may be signed with while a pepper is rotated out. */
export const checkpointPublicKeys = ({
  keyPepper,
  formerPepper,
}: {
  readonly keyPepper: string
  readonly formerPepper: { readonly pepper: string } | undefined
}): readonly string[] => [keyPepper, formerPepper?.pepper ?? []].flat().map(checkpointPublicKey)

export function createCheckpointSigner(pepper: string): SignCheckpoint {
  const key = derive(pepper)
  const publicKey = toText(key)
  return (text) => ({ publicKey, signature: sign(null, Buffer.from(text), key).toString('base64') })
}

/** Whether the key that a checkpoint names has signed what it and the days before it say. */
export function isSigned(day: LinkedDay): boolean {
  const { publicKey, signature } = day.checkpoint
  if (publicKey === null || signature === null) return false
  const text = Buffer.from(toSigned(day))
  try {
    const key = Buffer.from(publicKey, 'base64')
    const object = createPublicKey({ key, format: 'der', type: 'spki' })
    return verify(null, text, object, Buffer.from(signature, 'base64'))
  } catch {
    return false // no key at all
  }
}
