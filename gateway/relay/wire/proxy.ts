import { Type } from 'typebox'
import { getAddress } from 'viem'
import { address, bytes32, chainId, type Static } from '../../http/schemas.ts'
import type { RelayAnswer } from '../relayDeploy.ts'

export const proxyBody = (chainIds: readonly number[]) =>
  Type.Object({
    chainId: chainId(chainIds),
    owner: address({ description: 'Future owner of the proxy, permanently' }),
    tokenIn: address({ description: 'ERC-20 the owner wants to swap' }),
    amountIn: Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      format: 'positiveUint256',
      // A larger JSON number has lost digits before anybody could read it.
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Atomic units, above zero; numbers above 2^53 - 1 must be sent as a string',
    }),
  })

export type ProxyBody = Static<ReturnType<typeof proxyBody>>

export const proxyResponse = Type.Object({
  txHash: Type.Optional(bytes32({ description: 'Of the deployment, new or pending' })),
  proxy: address({ description: "The owner's proxy" }),
  existing: Type.Optional(Type.Boolean({ description: 'True when the proxy exists already' })),
})

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
