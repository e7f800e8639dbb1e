import {
  type Address,
  concat,
  getAddress,
  type Hex,
  hashTypedData,
  isHex,
  keccak256,
  numberToHex,
  recoverAddress,
  recoverMessageAddress,
  toBytes,
  zeroAddress,
} from 'viem'
import { verifyHash } from 'viem/actions'
import type { ChainClient } from '../../chain/client.ts'
import { isNative } from '../../chain/native.ts'
import {
  type Fields,
  isAsked,
  readOptionalText,
  readText,
  toAddress,
  toAmount,
  toInteger,
  toOptionalAddress,
} from './call.ts'
import { invalid } from './refusal.ts'

/** The same on every chain (docs.cow.fi, contracts): what owners sign for, and whom they let take what they sell. */
export const settlement: Address = '0x9008D19f58AAbD9eD0D60971565AA8510560ab41'
export const vaultRelayer: Address = '0xC92E8bdf79f0507f65a392b0ab4667716BFE0110'

/** As its owner signs it. */
const types = {
  Order: [
    { name: 'sellToken', type: 'address' },
    { name: 'buyToken', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'sellAmount', type: 'uint256' },
    { name: 'buyAmount', type: 'uint256' },
    { name: 'validTo', type: 'uint32' },
    { name: 'appData', type: 'bytes32' },
    { name: 'feeAmount', type: 'uint256' },
    { name: 'kind', type: 'string' },
    { name: 'partiallyFillable', type: 'bool' },
    { name: 'sellTokenBalance', type: 'string' },
    { name: 'buyTokenBalance', type: 'string' },
  ],
} as const

const latestTime = 2 ** 32 - 1
const schemes = ['eip712', 'ethsign', 'eip1271'] as const
type Scheme = (typeof schemes)[number]

export type CowOrder = ReturnType<typeof readOrder>
/** In the words of the order book. */
export type OrderRefusal = readonly [errorType: string, description: string]

/** What is signed, and how: every field that the order book has. */
export function readOrder(body: Fields, chainId: number) {
  const kind = readText(body, 'kind')
  if (kind !== 'sell' && kind !== 'buy') throw invalid('kind', 'must be sell or buy')
  const signature = readText(body, 'signature')
  if (!isHex(signature)) throw invalid('signature', 'is not hex')
  const validTo = toInteger(body, 'validTo')
  if (validTo > latestTime) throw invalid('validTo', 'is more than 32 bits')
  const receiver = toOptionalAddress(body, 'receiver')
  const fullAppData = readText(body, 'appData')
  const isHash = isHex(fullAppData) && fullAppData.length === 66
  const signed = {
    sellToken: toAddress(body, 'sellToken'),
    buyToken: toAddress(body, 'buyToken'),
    receiver: receiver ?? zeroAddress,
    sellAmount: toAmount(body, 'sellAmount'),
    buyAmount: toAmount(body, 'buyAmount'),
    validTo,
    appData: isHash ? fullAppData : keccak256(toBytes(fullAppData)),
    feeAmount: BigInt(toInteger(body, 'feeAmount')),
    kind,
    partiallyFillable: isAsked(body, 'partiallyFillable'),
    sellTokenBalance: readOptionalText(body, 'sellTokenBalance') ?? 'erc20',
    buyTokenBalance: readOptionalText(body, 'buyTokenBalance') ?? 'erc20',
  } as const
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: settlement }
  return {
    chainId,
    signed,
    digest: hashTypedData({ domain, types, primaryType: 'Order', message: signed }),
    signature,
    scheme: readText(body, 'signingScheme'),
    from: toOptionalAddress(body, 'from'),
    receiver,
    fullAppData: isHash ? null : fullAppData,
    appDataHash: readOptionalText(body, 'appDataHash'),
  }
}

/** What no signature makes good: each row as the order book says it. */
export function findFault(
  { signed, scheme, fullAppData, appDataHash }: CowOrder,
  nowSecs: number,
): OrderRefusal | undefined {
  const faults: readonly (readonly [isFound: boolean, ...refusal: OrderRefusal])[] = [
    [isNative(signed.sellToken), 'InvalidNativeSellToken', 'orders sell no ether'],
    [
      signed.sellToken.toLowerCase() === signed.buyToken.toLowerCase(),
      'SameBuyAndSellToken',
      'the tokens must differ',
    ],
    [signed.feeAmount > 0n, 'NonZeroFee', 'feeAmount must be 0'],
    [signed.sellTokenBalance !== 'erc20', 'UnsupportedSellTokenSource', 'only erc20 is sold'],
    [signed.buyTokenBalance !== 'erc20', 'UnsupportedBuyTokenDestination', 'only erc20 is bought'],
    [signed.validTo <= nowSecs, 'InsufficientValidTo', 'validTo is over'],
    [!isScheme(scheme), 'IncompatibleSigningScheme', `a lab takes ${schemes.join(', ')}`],
    [fullAppData !== null && !isJson(fullAppData), 'InvalidAppData', 'appData is no JSON'],
    [
      appDataHash !== undefined && appDataHash.toLowerCase() !== signed.appData.toLowerCase(),
      'AppDataHashMismatch',
      `appData has the hash ${signed.appData}`,
    ],
  ]
  const [found] = faults.filter(([isFound]) => isFound)
  return found && [found[1], found[2]]
}

const isScheme = (text: string): text is Scheme => schemes.some((scheme) => scheme === text)

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Who signed the order, as far as that is whom it says. */
export async function findOwner(
  client: ChainClient['client'],
  { digest, scheme, signature, from }: CowOrder,
): Promise<Address | OrderRefusal> {
  if (scheme === 'eip1271') {
    if (!from) return ['MissingFrom', 'a contract that signs must be named']
    const isSigned = await verifyHash(client, { address: from, hash: digest, signature })
    return isSigned ? from : ['InvalidEip1271Signature', `${from} does not sign this order`]
  }
  const owner = await recoverOwner({ digest, scheme, signature })
  if (!owner) return ['InvalidSignature', 'nobody has signed this']
  if (from && getAddress(from) !== owner)
    return ['WrongOwner', `the order is signed by ${owner}, not by ${from}`]
  return owner
}

async function recoverOwner({
  digest: hash,
  scheme,
  signature,
}: Pick<CowOrder, 'digest' | 'scheme' | 'signature'>): Promise<Address | undefined> {
  try {
    return scheme === 'ethsign'
      ? await recoverMessageAddress({ message: { raw: hash }, signature })
      : await recoverAddress({ hash, signature })
  } catch {
    // No point of the curve.
    return undefined
  }
}

export const toUid = ({ digest, signed }: CowOrder, owner: Address): Hex =>
  concat([digest, owner.toLowerCase() as Hex, numberToHex(signed.validTo, { size: 4 })])
