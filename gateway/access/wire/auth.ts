import { Type } from 'typebox'
import { getAddress } from 'viem'
import * as schemas from '../../http/schemas.ts'
import type { Challenge } from '../../store/challenges.ts'
import type { StoredKey } from '../../store/keys.ts'
import type { Balance } from '../../store/ledger.ts'

const count = () => Type.Integer()

export const challengeBody = (chainIds: readonly number[]) =>
  schemas.named(
    'ChallengeRequest',
    Type.Object({
      address: schemas.address({ description: 'The wallet that will sign' }),
      chain_id: schemas.withDefault(
        Type.Unsafe<number>({
          type: 'integer',
          enum: [...chainIds],
          default: chainIds[0],
          description: 'Where a contract wallet is deployed; any chain for an ordinary account',
        }),
      ),
    }),
  )

export const challengeResponse = schemas.named(
  'Challenge',
  Type.Object({
    message: Type.String({ description: 'EIP-4361; sign it as it is (personal_sign)' }),
    nonce: Type.String(),
    expires_at: Type.String({ description: 'ISO 8601' }),
  }),
)

export const fromChallenge = ({ message, nonce, expiresAtMs }: Challenge) => ({
  message,
  nonce,
  expires_at: new Date(expiresAtMs).toISOString(),
})

export const registerBody = schemas.named(
  'RegisterRequest',
  Type.Object({
    address: schemas.address(),
    nonce: Type.String({ minLength: 8, maxLength: 128 }),
    signature: schemas.bytes({ maxLength: 65_536 }),
  }),
)

export const registerResponse = schemas.named(
  'Registration',
  Type.Object({
    api_key: Type.String({ description: 'Shown once; only a hash of it is stored' }),
    scopes: Type.Array(Type.String()),
    quota_total: count(),
    quota_used: count(),
    quota_remaining: count(),
  }),
)

export const fromRegistration = ({
  apiKey,
  scopes,
  balance,
}: {
  apiKey: string
  scopes: readonly string[]
  balance: Balance
}) => ({ api_key: apiKey, scopes: [...scopes], ...fromBalance(balance) })

export const keyInfoResponse = schemas.named(
  'KeyInfo',
  Type.Object({
    key_id: Type.String({ description: 'Public; buyFor takes its keccak256' }),
    key_id_hash: schemas.bytes32(),
    status: Type.String(),
    wallet: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    quota_total: count(),
    quota_used: count(),
    quota_remaining: count(),
    created_at: Type.String({ description: 'ISO 8601' }),
    scopes: Type.Array(Type.String()),
  }),
)

export const fromKey = (key: StoredKey, balance: Balance) => ({
  key_id: key.id,
  key_id_hash: key.idHash,
  status: 'active',
  wallet: key.wallet === undefined ? null : getAddress(key.wallet),
  ...fromBalance(balance),
  created_at: new Date(key.createdAtMs).toISOString(),
  scopes: [...key.scopes],
})

export const fromBalance = ({ total, used, remaining }: Balance) => ({
  quota_total: total,
  quota_used: used,
  quota_remaining: remaining,
})
