import { type CustomPrecompile, createEVM, EVMError } from '@ethereumjs/evm'
import { createAddressFromString, hexToBytes } from '@ethereumjs/util'
import { type Address, bytesToHex, createClient, custom, type Hex, numberToHex, toHex } from 'viem'
import { createRandom } from '../../../fixtures/books/random.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { callLens } from './lens.ts'
import { askPacked, type PackedCall } from './packedCalls.ts'

/** The packed code and the lens, each run in a small EVM, on contracts that answer in every way there is. */
const s = suite('packed calls')
const addressOf = (n: number): Address => numberToHex(0x1000 + n, { size: 20 })
const viewGas = 2_600n
type Answer = { readonly data: Uint8Array; readonly gasLimit: bigint }
type Made = Extract<CustomPrecompile, { readonly function: unknown }>
type Result = ReturnType<Made['function']>
const told = (returnValue: Uint8Array): Result => ({ executionGasUsed: viewGas, returnValue })
const failed = (error: string, executionGasUsed: bigint, returnValue = new Uint8Array()) => ({
  executionGasUsed,
  returnValue,
  exceptionError: new EVMError(error as never),
})
const contracts: readonly ((call: Answer) => Result)[] = [
  ({ data }) => told(data),
  () => told(hexToBytes(numberToHex(7, { size: 32 }))),
  () => told(new Uint8Array(20).fill(9)),
  () => told(new Uint8Array(9_000).fill(5)),
  () => told(new Uint8Array()),
  () => failed(EVMError.errorMessages.REVERT, viewGas, new Uint8Array(64).fill(3)),
  ({ gasLimit }) => failed(EVMError.errorMessages.OUT_OF_GAS, gasLimit),
]
const burning = contracts.length - 1
const evm = await createEVM({
  customPrecompiles: contracts.map(
    (answer, n): Made => ({
      address: createAddressFromString(addressOf(n)),
      function: ({ data, gasLimit }) => answer({ data, gasLimit }),
    }),
  ),
})

let gasUsed = 0n
const client = createClient({
  chain: toViemChain(base),
  transport: custom(
    {
      async request({ params }: { readonly params: readonly unknown[] }) {
        const [{ to, data, gas }, , overrides] = params as [
          { readonly to: Address; readonly data: Hex; readonly gas: Hex },
          Hex,
          Readonly<Record<Address, { readonly code: Hex }>>,
        ]
        const ran = await evm.runCode({
          code: hexToBytes(overrides[to]?.code ?? '0x'),
          data: hexToBytes(data),
          gasLimit: BigInt(gas),
        })
        assert.is(ran.exceptionError, undefined)
        gasUsed = ran.executionGasUsed
        return bytesToHex(ran.returnValue)
      },
    },
    { retryCount: 0 },
  ),
})
const blockNumber = 1n
const ask = (calls: readonly PackedCall[]) => askPacked(client, { calls, blockNumber })
const askLens = (calls: readonly PackedCall[]) =>
  callLens(client, { functionName: 'readCalls', args: [calls], blockNumber })

s("answer what the lens' own code answers, for about its gas [nodes/packed]", async () => {
  const random = createRandom(7)
  for (let round = 0; round < 20; round += 1) {
    const calls = Array.from({ length: random.below(40) }, (): PackedCall => {
      const data = toHex(Uint8Array.from({ length: random.below(90) }, () => random.below(256)))
      // Behind the last one no code stands.
      const target = addressOf(random.below(contracts.length + 1))
      return { target, data, answerBytes: BigInt(random.pick([0, 31, 32, 64, 160, 3_072, 9_000])) }
    })
    const packed = await ask(calls)
    const packedGas = gasUsed
    assert.equal(packed, await askLens(calls))
    assert.ok(packedGas <= (gasUsed * 11n) / 10n, `${packedGas} of ${gasUsed} gas`)
  }
})

s('end before a call that might burn what the answer takes [nodes/packed]', async () => {
  const burners = Array.from({ length: 100 }, () => ({
    target: addressOf(burning),
    data: '0x12345678' as const,
    answerBytes: 32n,
  }))
  const packed = await ask(burners)
  assert.ok(packed.length > 50 && packed.length < 100, `${packed.length} answers`)
  assert.ok(packed.every((answer) => answer === '0x01'))
  assert.equal(packed.slice(0, 60), (await askLens(burners)).slice(0, 60))
})

s('end where more is held than an answer should bring [nodes/packed]', async () => {
  const long = { target: addressOf(3), data: '0x12345678' as const, answerBytes: 4_096n }
  const packed = await ask(Array.from({ length: 200 }, () => long))
  assert.ok(packed.length >= 97 && packed.length <= 99, `${packed.length} answers`)
})

s('are no answers where they break off [nodes/packed]', async () => {
  const cut = createClient({
    chain: toViemChain(base),
    transport: custom({ request: async () => '0x000020ab' }, { retryCount: 0 }),
  })
  const calls = [{ target: addressOf(0), data: '0x12345678' as const, answerBytes: 32n }]
  let said = ''
  await askPacked(cut, { calls, blockNumber }).catch((error: Error) => {
    said = error.message
  })
  assert.match(said, 'not whole')
})
s.run()
