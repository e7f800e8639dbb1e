import { type Static, Type } from 'typebox'
import { getAddress } from 'viem'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { address, bytes32, named, oneOf, uint256, withDefault } from '../../http/schemas.ts'
import type { Relay } from '../../relay/service/relay.ts'
import type { RelayTransaction } from '../../store/relayTransaction.ts'

const owner = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const weth = '0x4200000000000000000000000000000000000006'

const gate = named(
  'ExaminedGate',
  Type.Object({
    step: Type.Integer(),
    gate: Type.String(),
    passes: Type.Boolean(),
    sentence: Type.Optional(Type.String({ description: 'What it would refuse with' })),
    numbers: Type.Array(
      named(
        'GateNumber',
        Type.Object({
          name: Type.String(),
          value: Type.String(),
          unit: Type.Optional(oneOf(['wei', 'gas', 'raw'])),
        }),
      ),
    ),
  }),
)

const transaction = named(
  'SponsoredTransaction',
  Type.Object({
    id: Type.Integer(),
    chainId: Type.Integer(),
    owner: address(),
    proxy: address(),
    signer: address(),
    nonce: Type.Integer(),
    status: oneOf(['pending', 'mined', 'failed', 'final', 'final_failed', 'lost']),
    createdAtMs: Type.Integer(),
    reservedWei: uint256({ description: 'What it costs at worst' }),
    actualWei: Type.Optional(uint256()),
    blockNumber: Type.Optional(Type.Integer()),
    minedHash: Type.Optional(bytes32()),
    attempts: Type.Array(
      Type.Object({ hash: bytes32(), maxFeePerGasWei: uint256(), gasLimit: uint256() }),
      { description: 'Signed for its nonce, the oldest first' },
    ),
  }),
)

function fromTransaction(one: RelayTransaction): Static<typeof transaction> {
  const { id, chainId, nonce, status, createdAtMs, actualWei, blockNumber, minedHash } = one
  return {
    id,
    chainId,
    owner: getAddress(one.owner),
    proxy: getAddress(one.proxy),
    signer: getAddress(one.signer),
    nonce,
    status,
    createdAtMs,
    reservedWei: String(one.reservedWei),
    ...(actualWei !== undefined && { actualWei: String(actualWei) }),
    ...(blockNumber !== undefined && { blockNumber: Number(blockNumber) }),
    ...(minedHash !== undefined && { minedHash }),
    attempts: one.attempts.map(({ hash, maxFeePerGasWei, gasLimit }) => ({
      hash,
      maxFeePerGasWei: String(maxFeePerGasWei),
      gasLimit: String(gasLimit),
    })),
  }
}

/** What operators see of the relay. */
export function relayEndpoints(
  relay: () => Pick<Relay, 'examine' | 'history'>,
): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/ops/relay/gates',
      summary: 'Each gate of the relay for an owner, with what it is decided on',
      description: 'Simulates the deployment, signs nothing, and looks at the later gates too.',
      query: Type.Object({
        chainId: Type.Integer(),
        owner: address(),
        tokenIn: address(),
        amountIn: uint256(),
      }),
      output: named('ExaminedGates', Type.Object({ gates: Type.Array(gate) })),
      auth: 'none',
      examples: {
        query: { chainId: 8453, owner, tokenIn: weth, amountIn: '1000000000000000000' },
        output: {
          gates: [
            {
              step: 3,
              gate: 'Native balance',
              passes: false,
              sentence: 'owner has no native balance',
              numbers: [{ name: 'native balance', value: '0', unit: 'wei' }],
            },
          ],
        },
      },
      handle: async ({ query }) => {
        const gates = await relay().examine(query.chainId, {
          owner: getAddress(query.owner),
          tokenIn: getAddress(query.tokenIn),
          amountIn: BigInt(query.amountIn),
        })
        if (!gates) throw httpError('unavailable', `no relayer serves chain ${query.chainId}`)
        return { gates: gates.map(({ numbers, ...one }) => ({ ...one, numbers: [...numbers] })) }
      },
    }),
    endpoint({
      method: 'get',
      path: '/ops/relay/transactions',
      summary: 'The newest sponsored deployments, with all that was signed for each',
      query: Type.Object({
        chainId: Type.Optional(Type.Integer()),
        limit: withDefault(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
      }),
      output: named(
        'SponsoredTransactions',
        Type.Object({ transactions: Type.Array(transaction) }),
      ),
      auth: 'none',
      examples: { query: { limit: 50 }, output: { transactions: [] } },
      handle: async ({ query }) => ({
        transactions: (await relay().history(query)).map(fromTransaction),
      }),
    }),
  ]
}
