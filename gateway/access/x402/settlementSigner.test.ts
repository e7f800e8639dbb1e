import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startKeyService } from '../../../fixtures/access/keyService.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createMemoryKey } from '../../signing/digestKey.ts'
import { encodeTransfer } from './eip3009.ts'
import { createSettlementSigner, SettlementRefused } from './settlementSigner.ts'

const signing = suite('settlement signer')
const token: Address = '0x000000000000000000000000000000000000cafe'
const payTo: Address = '0x00000000000000000000000000000000000a0707'
const stranger: Address = '0x0000000000000000000000000000000000000bad'
const place = { chainId: 8453, token, payTo, maxFeeWei: 2_000_000_000_000n } as const
const privateKey = generatePrivateKey()
const local = createSettlementSigner({ ...place, key: createMemoryKey(privateKey) })
const authorization = {
  from: stranger,
  to: payTo,
  value: 100_000n,
  validAfter: 0n,
  validBefore: 2n ** 40n,
  nonce: keccak256('0x01'),
  signature: `0x${'ab'.repeat(65)}`,
} as const
const calldata = encodeTransfer(authorization)
const order = {
  calldata,
  nonce: 3,
  gasLimit: 100_000n,
  maxFeePerGasWei: 20_000_000n,
  maxPriorityFeePerGasWei: 1_000_000n,
} as const

signing(
  'signs a transfer by authorization to the quota contract, value 0 [x402/transfer-only]',
  async () => {
    const { rawTx, txHash } = await local.sign(order)
    const read = parseTransaction(rawTx)
    assert.equal(
      [read.to, read.data, read.value ?? 0n, read.chainId, read.nonce, read.gas],
      [token, calldata, 0n, 8453, 3, 100_000n],
    )
    assert.is(txHash, keccak256(rawTx))
    const from = await recoverTransactionAddress({
      serializedTransaction: rawTx as `0x02${string}`,
    })
    assert.is(from, privateKeyToAccount(privateKey).address)
  },
)

const erc20 = (functionName: 'transfer' | 'approve' | 'transferFrom') =>
  encodeFunctionData({
    abi: erc20Abi,
    functionName,
    args: functionName === 'transferFrom' ? [stranger, payTo, 1n] : [payTo, 1n],
  } as Parameters<typeof encodeFunctionData>[0])
const refused: readonly (readonly [string, Hex])[] = [
  ['nothing', '0x'],
  ['transfer', erc20('transfer')],
  ['approve', erc20('approve')],
  ['transferFrom', erc20('transferFrom')],
  ['a transfer to somebody else', encodeTransfer({ ...authorization, to: stranger })],
  ['a transfer with bytes behind it', `${calldata}00`],
  ['a transfer cut short', calldata.slice(0, -64) as Hex],
  ['the selector alone', calldata.slice(0, 10) as Hex],
]
for (const [what, data] of refused)
  signing(`refuses ${what}`, async () => {
    const refusal = await local.sign({ ...order, calldata: data }).catch((error: unknown) => error)
    assert.instance(refusal, SettlementRefused)
  })
signing('refuses a settlement above its own ceiling, by one wei [x402/ceiling]', async () => {
  const at = { ...order, gasLimit: 1n }
  assert.ok((await local.sign({ ...at, maxFeePerGasWei: place.maxFeeWei })).rawTx)
  const dearer = local.sign({ ...at, maxFeePerGasWei: place.maxFeeWei + 1n })
  assert.match(String(await dearer.catch((error: Error) => error)), /dearer than its ceiling/)
})
signing('signs with a key service just what it signs with a key of its own', async () => {
  const service = startKeyService({ privateKey, afterMs: 5 })
  const remote = createSettlementSigner({ ...place, key: service.key })
  assert.is(remote.address, local.address)
  for (let nonce = 0; nonce < 4; nonce += 1)
    assert.equal(await remote.sign({ ...order, nonce }), await local.sign({ ...order, nonce }))
})
signing.run()
