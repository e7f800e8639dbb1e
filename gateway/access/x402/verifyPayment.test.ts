import {
  createClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  numberToHex,
  pad,
  RpcRequestError,
  toFunctionSelector,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { assert, suite } from '../../../fixtures/test.ts'
import { arbitrum } from '../../chain/arbitrum.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { nodeInterfaceAbi } from '../../chain/readL1Component.ts'
import { eip3009Abi, encodeTransfer, transferTypes } from './eip3009.ts'
import type { PaymentPayload } from './paymentPayload.ts'
import { matchPayment, toAuthorization, verifyPayment } from './verifyPayment.ts'

/** Beside a node that is a table; `x402.fork.test.ts` asks a real one. */
const s = suite('x402/verifyPayment')
const { chainId } = base
const toAddress = (id: number) => pad(numberToHex(id), { size: 20 })
const [sale, asset, stranger] = [toAddress(0xa), toAddress(0xb), toAddress(0xc)]
const payer = privateKeyToAccount(generatePrivateKey())
const nowSecs = 1_900_000_000n
const token = { address: asset, name: 'USD Coin', version: '2' }
const settlement = { signer: { address: toAddress(0xd) } }
const contract = { chainId, address: sale, token, settlement }
const config = { packQuotes: 10, amountPerQuote: 100n, contracts: [contract] }
const accepted = {
  scheme: 'exact',
  network: `eip155:${chainId}`,
  amount: '1000',
  asset,
  payTo: sale,
}
const message = {
  from: payer.address,
  to: sale,
  value: 1_000n,
  validAfter: nowSecs,
  validBefore: nowSecs + 6n,
  nonce: pad('0x07'),
}
const order = {
  domain: { name: token.name, version: token.version, chainId, verifyingContract: asset },
  types: transferTypes,
  primaryType: 'TransferWithAuthorization',
} as const
const signature = await payer.signTypedData({ ...order, message })
const asTexts = (given: typeof message) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
const toPayload = (change: { accepted?: object; authorization?: Partial<typeof message> } = {}) =>
  ({
    accepted: { ...accepted, ...change.accepted },
    payload: { signature, authorization: asTexts({ ...message, ...change.authorization }) },
  }) as unknown as PaymentPayload

/** The last half second of `nowSecs`. */
const now = () => Number(nowSecs) * 1_000 + 500
const match = (
  payload: PaymentPayload,
  contracts: readonly object[] = [contract],
  of: number = chainId,
) =>
  matchPayment(
    { chains: [{ chainId: of }], config: { ...config, contracts }, now } as never,
    payload,
  )
const reasonOf = (...given: Parameters<typeof match>) => {
  const matched = match(...given)
  return 'reason' in matched ? matched.reason : undefined
}

s('matches what is offered now, whatever the case of its addresses [teeth/x402-match]', () => {
  const matched = match(toPayload({ accepted: { payTo: sale.replace('a', 'A') } }))
  assert.ok('calldata' in matched)
  assert.is(reasonOf(toPayload()), undefined)
})
s('matches nothing else in any field [teeth/x402-match]', () => {
  for (const change of [
    { scheme: 'prepaid-claim' },
    { network: 'eip155:1' },
    { amount: '1001' },
    { asset: stranger },
    { payTo: stranger },
  ])
    assert.is(reasonOf(toPayload({ accepted: change })), 'invalid_payment_requirements')
  const unsettled = { ...contract, settlement: undefined }
  const claimed = toPayload({ accepted: { scheme: 'prepaid-claim' } })
  for (const payload of [toPayload(), claimed])
    assert.is(reasonOf(payload, [unsettled]), 'invalid_payment_requirements')
  assert.is(reasonOf(toPayload(), [contract], 1), 'invalid_payment_requirements')
})
s('holds an authorization to its recipient, value and seconds [teeth/x402-match]', () => {
  for (const [authorization, reason] of [
    [{ to: stranger }, 'invalid_exact_evm_recipient_mismatch'],
    [{ value: 999n }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
    [{ validBefore: nowSecs + 5n }, 'invalid_exact_evm_payload_authorization_valid_before'],
    [{ validAfter: nowSecs + 1n }, 'invalid_exact_evm_payload_authorization_valid_after'],
  ] as const)
    assert.is(reasonOf(toPayload({ authorization })), reason)
})

type Node = {
  readonly isUsed?: boolean
  readonly balance?: bigint
  readonly code?: string
  readonly gas?: number
  /** Of Arbitrum One, with so much of `gas` for data; a local chain has nothing that would tell. */
  readonly dataGas?: number | 'local' | undefined
  /** What the estimate says where it refuses. */
  readonly refusal?: { readonly code: number; readonly message: string; readonly data?: string }
  readonly isDown?: boolean
}
async function verify(
  {
    isUsed = false,
    balance = 1_000n,
    code = '0x',
    gas = 70_000,
    dataGas,
    refusal,
    isDown = false,
  }: Node = {},
  signed = signature,
) {
  const authorization = { ...toAuthorization(toPayload().payload), signature: signed }
  const asked: unknown[] = []
  const answerCall = (data: string) => {
    if (data.startsWith(toFunctionSelector(nodeInterfaceAbi[0])))
      return dataGas === 'local'
        ? '0x'
        : encodeAbiParameters(nodeInterfaceAbi[0].outputs, [BigInt(dataGas ?? 0), 1n, 1n])
    return data.startsWith(
      encodeFunctionData({
        abi: eip3009Abi,
        functionName: 'balanceOf',
        args: [payer.address],
      }).slice(0, 10),
    )
      ? encodeAbiParameters([{ type: 'uint256' }], [balance])
      : encodeAbiParameters([{ type: 'bool' }], [isUsed])
  }
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    if (isDown) throw new TypeError('away')
    if (method === 'eth_getCode') return code
    if (method === 'eth_call') return answerCall((params[0] as { readonly data: string }).data)
    asked.push(params[0])
    if (refusal) throw new RpcRequestError({ body: {}, error: refusal, url: 'http://node' })
    return numberToHex(gas)
  }
  const client = createClient({
    chain: toViemChain(base),
    transport: custom({ request }, { retryCount: 0 }),
  })
  const calldata = encodeTransfer(authorization)
  const verified = await verifyPayment({
    chain: { client },
    contract: dataGas === undefined ? contract : { ...contract, chainId: arbitrum.chainId },
    settlement,
    authorization,
    calldata,
  })
  return { verified, asked, calldata }
}
const revert = { code: 3, message: 'execution reverted', data: '0x' }
const invalid = (reason: string) => ({ status: 'invalid', reason })

s(
  'is valid where the chain would take it, for the gas that it takes [teeth/x402-verify]',
  async () => {
    const { verified, asked, calldata } = await verify()
    assert.equal(verified, { status: 'valid', gas: 70_000n, payerCode: undefined })
    const estimated = { from: settlement.signer.address, to: asset, data: calldata }
    assert.equal(asked, [{ ...estimated, gas: numberToHex(1_200_000) }])
    const wallet = await verify({ code: '0xc0de' })
    assert.equal(wallet.verified, { status: 'valid', gas: 70_000n, payerCode: keccak256('0xc0de') })
  },
)
s('a wallet whose check takes more than 300,000 gas pays nobody [teeth/x402-verify]', async () => {
  const wallet = { code: '0xc0de', gas: 300_000 }
  assert.is((await verify(wallet)).verified.status, 'valid')
  const { verified } = await verify({ ...wallet, gas: 300_001 }, '0x')
  assert.equal(verified, invalid('invalid_exact_evm_signature'))
})
s('an estimate of Arbitrum has data in it, which is no check [attack/data-gas]', async () => {
  const dear = { code: '0xc0de', gas: 700_000 }
  assert.is((await verify({ ...dear, dataGas: 400_000 })).verified.status, 'valid')
  for (const dataGas of [399_999, 'local', undefined] as const)
    assert.is((await verify({ ...dear, dataGas })).verified.status, 'invalid')
  // Where nothing tells, it is none.
  for (const [gas, status] of [
    [300_000, 'valid'],
    [300_001, 'invalid'],
  ] as const)
    assert.is((await verify({ code: '0xc0de', gas, dataGas: 'local' })).verified.status, status)
})
s('a node tries a wallet with little more than it may take [attack/estimate-gas]', async () => {
  // As geth and Nitro say it, and as reth does.
  for (const refusal of [
    { code: -32000, message: 'gas required exceeds allowance (1200000)' },
    { code: -32003, message: 'out of gas: gas required exceeds: 1200000' },
  ]) {
    const { verified } = await verify({ code: '0xc0de', refusal }, '0x')
    assert.equal(verified, invalid('invalid_exact_evm_signature'))
  }
  const { asked } = await verify({ gas: 7_000_000, dataGas: 6_900_000 })
  assert.is((asked[0] as { gas: string }).gas, numberToHex(1_200_000 + 2 * 6_900_000))
})
s('is not where it was used, or a unit is lacking [teeth/x402-verify]', async () => {
  assert.equal(
    (await verify({ isUsed: true })).verified,
    invalid('invalid_exact_evm_nonce_already_used'),
  )
  assert.equal(
    (await verify({ balance: 999n })).verified,
    invalid('invalid_exact_evm_insufficient_balance'),
  )
})
s(
  'says whether its signature is at fault where the chain refuses [teeth/x402-verify]',
  async () => {
    const refused = async (signed = signature) =>
      (await verify({ refusal: revert }, signed)).verified
    assert.equal(await refused(), invalid('invalid_exact_evm_transaction_simulation_failed'))
    const other = await payer.signTypedData({ ...order, message: { ...message, value: 1n } })
    for (const signed of [other, `${signature}00`, `0x${'00'.repeat(65)}`] as const)
      assert.equal(await refused(signed), invalid('invalid_exact_evm_signature'))
  },
)
s('a node that does not answer is no verdict [teeth/x402-verify]', async () => {
  assert.is((await verify({ isDown: true })).verified.status, 'unreachable')
  for (const refusal of [
    { code: -32000, message: 'busy' },
    // Alchemy's code for it is that of a revert.
    { code: 3, message: 'Unknown block' },
  ])
    assert.is((await verify({ refusal })).verified.status, 'unreachable')
})
s.run()
