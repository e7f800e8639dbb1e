import { Type } from 'typebox'
import { getAddress, type Hex } from 'viem'
import { address, bytes32, chainId, named, type Static } from '../../http/schemas.ts'
import type { RelayAnswer } from '../relayDeploy.ts'

export const proxyBody = (chainIds: readonly number[]) =>
  named(
    'ProxyRequest',
    Type.Object({
      chainId: chainId(chainIds),
      owner: address({ description: 'Future owner of the proxy, permanently' }),
      tokenIn: address({ description: 'ERC-20 the owner wants to swap' }),
      amountIn: Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        format: 'uint256',
        // A larger JSON number has lost digits before anybody could read it.
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Atomic units; zero is answered only to an owner who has a proxy already. Numbers above 2^53 - 1 must be sent as a string',
      }),
      ownerSignature: Type.Optional(
        Type.Unsafe<Hex>({
          type: 'string',
          pattern: '^0x([0-9a-fA-F]{2})*$',
          maxLength: 65_536,
          description:
            "EIP-712 (EIP-1271, EIP-6492) of SponsoredDeploy(address owner,uint256 deadline), domain 'Forkyard Relay', '1', the chain, the factory; read where the operator asks for it",
        }),
      ),
      deadline: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Unix seconds until which ownerSignature holds, at most an hour from now',
        }),
      ),
    }),
  )

export type ProxyBody = Static<ReturnType<typeof proxyBody>>

export const proxyResponse = named(
  'ProxyAnswer',
  Type.Object({
    txHash: Type.Optional(bytes32({ description: 'Of the deployment, new or pending' })),
    proxy: address({ description: "The owner's proxy" }),
    existing: Type.Optional(Type.Boolean({ description: 'True when the proxy exists already' })),
  }),
)

export function toRelayRequest({ owner, tokenIn, amountIn }: ProxyBody) {
  return {
    owner: getAddress(owner.toLowerCase()),
    tokenIn: getAddress(tokenIn.toLowerCase()),
    amountIn: BigInt(amountIn),
  }
}

type Served = Extract<RelayAnswer, { readonly proxy: unknown }>

export function fromAnswer(answer: Served): Static<typeof proxyResponse> {
  if (answer.status === 'existing') return { proxy: answer.proxy, existing: true }
  return { txHash: answer.txHash, proxy: answer.proxy }
}
