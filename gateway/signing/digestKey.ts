import { createECDH } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import { type Address, type Hex, hexToBytes, numberToHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/** A secp256k1 key that signs digests and shows nothing of itself: in memory, or in a key service. */
export type DigestKey = {
  readonly address: Address
  /** A key service takes its time; nobody holds a transaction or the thread up for it. */
  signDigest(digest: Hex): Promise<SignatureParts>
}

type SignatureParts = { readonly r: Hex; readonly s: Hex; readonly yParity: number }

/** A key that this process holds. RFC 6979: the same digest gives the same signature. */
export function createMemoryKey(privateKey: Hex): DigestKey {
  const secret = hexToBytes(privateKey, { size: 32 })
  // The curve's tables, of some 40 ms, are left to the first signature.
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(secret)
  return {
    address: toAddress(pair.getPublicKey()),
    signDigest: async (digest) => toParts(secp256k1.sign(hexToBytes(digest), secret)),
  }
}

/**
 * A key that somebody else holds and that signs as key services do: DER, either form of `s`, and no word
 * on which of the two public keys that fit is the one.
 */
export function createServiceKey({
  publicKey,
  sign,
}: {
  readonly publicKey: Uint8Array
  readonly sign: (digest: Uint8Array) => Promise<Uint8Array>
}): DigestKey {
  const point = secp256k1.ProjectivePoint.fromHex(publicKey)
  return {
    address: toAddress(point.toRawBytes(false)),
    async signDigest(digest) {
      const bytes = hexToBytes(digest)
      const signature = secp256k1.Signature.fromDER(await sign(bytes)).normalizeS()
      const found = [0, 1]
        .map((bit) => signature.addRecoveryBit(bit))
        .find((each) => each.recoverPublicKey(bytes).equals(point))
      if (!found) throw new Error('the key service signed with another key')
      return toParts(found)
    },
  }
}

const toAddress = (publicKey: Uint8Array) =>
  publicKeyToAddress(`0x${Buffer.from(publicKey).toString('hex')}`)

function toParts({ r, s, recovery }: { r: bigint; s: bigint; recovery: number }) {
  return { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }), yParity: recovery }
}
