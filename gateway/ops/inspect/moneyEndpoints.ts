import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { address, bytes32, named, oneOf, uint256, withDefault } from '../../http/schemas.ts'
import type { Store } from '../../store/ports.ts'
import type { PaymentReceipt, SettlementReceipt } from '../../store/receipts.ts'

type Books = Pick<Store, 'keys' | 'ledger' | 'receipts'>

const heldKey = named(
  'HeldKey',
  Type.Object({
    id: Type.String(),
    start: Type.String({ description: 'How the key begins' }),
    label: Type.String(),
    wallet: Type.Optional(address()),
    createdAtMs: Type.Integer(),
    revokedAtMs: Type.Optional(Type.Integer()),
    total: Type.Integer({ description: 'Quota units ever credited' }),
    used: Type.Integer(),
    remaining: Type.Integer(),
  }),
)
const payment = named(
  'PaymentReceipt',
  Type.Object({
    chainId: Type.Integer(),
    txHash: bytes32(),
    logIndex: Type.Integer(),
    blockNumber: Type.Integer(),
    payer: address(),
    amount: uint256({ description: "Raw, of the chain's payment token" }),
    quotes: Type.Integer(),
    keyId: Type.String(),
    state: oneOf(['credited', 'final', 'orphaned']),
    atMs: Type.Integer(),
  }),
)
const settlement = named(
  'SettlementReceipt',
  Type.Object({
    id: Type.Integer(),
    chainId: Type.Integer(),
    asset: address(),
    payer: address(),
    keyId: Type.String(),
    txHash: bytes32(),
    signerNonce: Type.Integer(),
    state: oneOf(['sent', 'settled', 'failed']),
    reason: Type.Optional(Type.String()),
    createdAtMs: Type.Integer(),
  }),
)

const limit = withDefault(Type.Integer({ minimum: 1, maximum: 500, default: 50 }))

async function listKeys(
  { keys, ledger }: Books,
  { search, limit }: { readonly search: string; readonly limit: number },
) {
  const found = await keys.search({ text: search, limit })
  const shown = await Promise.all(
    found.keys.map(async (key): Promise<Static<typeof heldKey>> => {
      const { id, start, label, wallet, createdAtMs, revokedAtMs } = key
      return {
        id,
        start,
        label,
        ...(wallet && { wallet }),
        createdAtMs,
        ...(revokedAtMs !== undefined && { revokedAtMs }),
        ...(await ledger.balance(id)),
      }
    }),
  )
  return { found: found.found, shown }
}

function fromPayment(one: PaymentReceipt): Static<typeof payment> {
  return { ...one, blockNumber: Number(one.blockNumber), amount: String(one.amount) }
}

function fromSettlement({ reason, ...one }: SettlementReceipt): Static<typeof settlement> {
  return { ...one, ...(reason !== undefined && { reason }) }
}

/** What operators see of keys and of what was paid for them; no secret is in it. */
export function moneyEndpoints(books: () => Books): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/ops/money',
      summary: 'Keys with their quota, payments claimed and settlements, the newest first',
      query: Type.Object({
        search: withDefault(
          Type.String({
            default: '',
            maxLength: 200,
            description: 'A key by its id, start, label or wallet; a payment by key, payer or hash',
          }),
        ),
        limit,
      }),
      output: named(
        'Money',
        Type.Object({
          quota: Type.Object(
            { credited: Type.Integer(), used: Type.Integer() },
            { description: 'Of all keys together, in quota units' },
          ),
          keysFound: Type.Integer(),
          keys: Type.Array(heldKey),
          payments: Type.Array(payment),
          settlements: Type.Array(settlement),
        }),
      ),
      auth: 'none',
      examples: {
        query: { search: 'key_8f14' },
        output: {
          quota: { credited: 0, used: 0 },
          keysFound: 0,
          keys: [],
          payments: [],
          settlements: [],
        },
      },
      handle: async ({ query }) => {
        const wanted = { search: query.search.trim(), limit: query.limit }
        const [{ found, shown }, payments, settlements, quota] = await Promise.all([
          listKeys(books(), wanted),
          books().receipts.listPayments(wanted),
          books().receipts.listSettlements(wanted),
          books().receipts.readQuota(),
        ])
        return {
          quota,
          keysFound: found,
          keys: shown,
          payments: payments.map(fromPayment),
          settlements: settlements.map(fromSettlement),
        }
      },
    }),
    endpoint({
      method: 'get',
      path: '/ops/money/ledger',
      summary: 'What was credited to a key and charged, the newest first',
      query: Type.Object({ keyId: Type.String({ maxLength: 200 }), limit }),
      output: named(
        'LedgerRows',
        Type.Object({
          entries: Type.Array(
            named(
              'LedgerRow',
              Type.Object({
                id: Type.Integer(),
                kind: oneOf(['grant', 'claim', 'clawback', 'charge', 'refund']),
                units: Type.Integer({ description: 'Below zero where they were taken' }),
                ref: Type.String(),
                atMs: Type.Integer(),
              }),
            ),
          ),
        }),
      ),
      auth: 'none',
      examples: { query: { keyId: 'key_8f14' }, output: { entries: [] } },
      handle: async ({ query }) => ({
        entries: [...(await books().ledger.entries(query.keyId, query.limit))],
      }),
    }),
  ]
}
