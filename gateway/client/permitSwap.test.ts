import {
  type Address,
  decodeFunctionData,
  domainSeparator,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  toFunctionSelector,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { permitSwap } from './permitSwap.ts'
import { createReader, type Wallet } from './wallet.ts'

const s = suite('a swap with its permit')
const [token, other, executor] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [
  Address,
  Address,
  Address,
]
const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const chainId = 8453
const args = [
  {
    tokenIn: token,
    amountIn: 1_000n,
    tokenOut: other,
    minAmountOut: 1_990n,
    recipient: account.address,
    deadline: 9_999_999_999n,
  },
  [],
] as const
const data = encodeFunctionData({ abi: swapExecutor.abi, functionName: 'swap', args })
const call = { to: executor, spender: executor, data, value: 0n }

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value])
const selectorOf = (signature: string) => toFunctionSelector(signature)

type Changes = {
  /** Undefined: the token has no such function. */
  readonly answers?: Readonly<Record<string, Hex | undefined>>
  readonly code?: Readonly<Record<Address, Hex>>
  readonly reverts?: boolean
  readonly sign?: Wallet['signTypedData']
}

/** A token with a permit, an executor that takes one, a wallet that signs; and what it was asked to sign. */
function stand({ answers = {}, code = {}, reverts = false, sign }: Changes = {}) {
  const separator = (version: string) =>
    domainSeparator({ domain: { name: 'Token', version, chainId, verifyingContract: token } })
  const told: Readonly<Record<string, Hex | undefined>> = {
    'name()': text('Token'),
    'version()': text('2'),
    'nonces(address)': encodeAbiParameters([{ type: 'uint256' }], [7n]),
    'DOMAIN_SEPARATOR()': separator(
      answers['version()'] === undefined && 'version()' in answers ? '1' : '2',
    ),
    ...answers,
  }
  const bySelector = new Map(
    Object.entries(told).map(([signature, answer]) => [selectorOf(signature), answer]),
  )
  const codes: Readonly<Record<string, Hex>> = {
    [executor]: swapExecutor.deployedBytecode,
    ...code,
  }
  const signed: Record<string, unknown>[] = []
  const tried: Hex[] = []
  const request: Wallet['request'] = async ({ method, params }) => {
    const [first] = params as readonly (Address & { readonly to: Address; readonly data: Hex })[]
    if (first === undefined) throw new Error(method)
    if (method === 'eth_getCode') return codes[first] ?? codes[first.toLowerCase()] ?? '0x'
    if (first.to === executor) tried.push(first.data)
    const selector = first.data.slice(0, 10) as Hex
    const answer = first.to === executor && !reverts ? '0x' : bySelector.get(selector)
    if (answer === undefined) throw new Error('execution reverted')
    return answer
  }
  const wallet: Wallet = {
    address: account.address,
    request,
    signTypedData: (typed) => {
      signed.push({ ...typed.message })
      if (sign) return sign(typed)
      return account.signTypedData(typed as Parameters<typeof account.signTypedData>[0])
    },
  }
  const asked = { call, token, amount: 1_000n }
  return {
    wallet,
    signed,
    tried,
    asked,
    run: () => permitSwap({ wallet, reader: createReader(wallet), chainId }, asked),
  }
}

s(
  'signs for the amount sold and no more, and swaps the same steps [client/permit-call]',
  async () => {
    for (const answers of [{}, { 'version()': undefined }]) {
      const { run, signed, tried } = stand({ answers })
      const permitted = await run()
      if (!permitted) throw new Error('an approval was to be sent')
      assert.equal([permitted.to, permitted.value, tried], [executor, 0n, [permitted.data]])
      const decoded = decodeFunctionData({ abi: swapExecutor.abi, data: permitted.data })
      if (decoded.functionName !== 'swapWithPermit') throw new Error(decoded.functionName)
      const [params, steps, deadline, v] = decoded.args
      assert.equal([params, steps], [...args])
      assert.ok(v === 27 || v === 28)
      assert.equal(signed, [
        { owner: account.address, spender: executor, value: 1_000n, nonce: 7n, deadline },
      ])
    }
  },
)
s('asks for no signature that would count for nothing [client/permit-none]', async () => {
  const cases: readonly Changes[] = [
    { code: { [executor]: '0x6080' } },
    { code: { [account.address]: '0x6080' } },
    { answers: { 'nonces(address)': undefined } },
    { answers: { 'DOMAIN_SEPARATOR()': undefined } },
    { answers: { 'name()': text('Another') } },
    { answers: { 'name()': '0x' } },
  ]
  for (const changes of cases) {
    const { run, signed } = stand(changes)
    assert.is(await run(), undefined, JSON.stringify(changes))
    assert.equal(signed, [])
  }
  const { wallet, asked, signed } = stand()
  const reader = createReader(wallet)
  for (const changed of [{ spender: other }, { data: '0xdeadbeef' as Hex }])
    assert.is(
      await permitSwap({ wallet, reader, chainId }, { ...asked, call: { ...call, ...changed } }),
      undefined,
    )
  assert.equal(signed, [])
})
s(
  'signs for who is delegated by EIP-7702, whose key still counts [client/permit-7702]',
  async () => {
    const { run, signed } = stand({ code: { [account.address]: `0xef0100${'4'.repeat(40)}` } })
    assert.ok(await run())
    assert.is(signed.length, 1)
  },
)
s(
  'is an approval where the wallet cannot sign, or not by a key [client/permit-unsigned]',
  async () => {
    const unsupported = [4200, -32601, -32004].map(
      (code) => () => Promise.reject(Object.assign(new Error('unsupported'), { code })),
    )
    const contracts = [64, 66, 320].map(
      (bytes) => async (): Promise<Hex> => `0x${'1b'.repeat(bytes)}`,
    )
    for (const sign of [...unsupported, ...contracts]) {
      const { run, tried } = stand({ sign })
      assert.is(await run(), undefined)
      assert.equal(tried, [])
    }
    // Who is asked and says no is not asked for something else.
    const refused = Object.assign(new Error('the person said no'), { code: 4001 })
    const { run } = stand({ sign: () => Promise.reject(refused) })
    assert.is(await run().catch((error: unknown) => error), refused)
  },
)
s('sends no swap that fails by its permit [client/permit-fails]', async () => {
  const { run, signed } = stand({ reverts: true })
  assert.is(await run(), undefined)
  assert.is(signed.length, 1)
})
s.run()
