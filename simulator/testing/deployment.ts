import { encodeFunctionData, getAddress, type Hex, pad, parseAbi, toHex, zeroAddress } from 'viem'
import { readBalancesCall } from '../balanceReader.ts'
import type { DeployQuestion } from '../deployCalls.ts'
import { type AnsweredCall, addressOf, pairs } from './answers.ts'

/** A deployment that the relay asks about, and what is asked and answered for it, but for the token's balance. */
export const deployment: DeployQuestion = {
  factory: addressOf('1'),
  owner: addressOf('2'),
  tokenIn: addressOf('3'),
  relayer: addressOf('4'),
}
export const proxy = getAddress('0xabcdef0123456789abcdef0123456789abcdef01')

const { factory, owner, relayer } = deployment
const abi = parseAbi([
  'function proxyOf(address owner) view returns (address)',
  'function predict(address owner) view returns (address)',
  'function deploy(address owner) returns (address)',
])
const ask = (functionName: 'proxyOf' | 'predict' | 'deploy', gas: number) => ({
  from: relayer,
  to: factory,
  gas: toHex(gas),
  data: encodeFunctionData({ abi, functionName, args: [owner] }),
})
export const askedCalls = [
  readBalancesCall([owner, relayer].map((holder) => ({ token: zeroAddress, holder }))),
  ask('proxyOf', 200_000),
  ask('predict', 200_000),
  ask('deploy', 2_000_000),
] as const

export const answeredCalls = {
  funds: pairs(5n, 7n),
  proxyOf: { returnData: pad('0x00') as Hex },
  predict: { returnData: pad(proxy) },
  deploy: { gasUsed: '0x30d40', returnData: pad(proxy) },
} as const satisfies Readonly<Record<string, AnsweredCall>>

/** What the relay is told of that. */
export const deployed = {
  blockNumber: 17n,
  existingProxy: undefined,
  predictedProxy: proxy,
  tokenBalance: 9n,
  nativeBalance: 5n,
  relayerBalance: 7n,
  deploy: { status: 'ok', gasUsed: 200_000n },
}
