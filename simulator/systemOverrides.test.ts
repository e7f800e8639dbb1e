import { createEVM } from '@ethereumjs/evm'
import { hexToBytes } from '@ethereumjs/util'
import { type Address, bytesToHex, concat, type Hex, numberToHex, toFunctionSelector } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { RpcCall, RpcOutcome } from './rpc/rpcBatch.ts'
import { assembleAnswers, readSystemOverrides, unsupportedMark } from './systemOverrides.ts'
import { refused, told, word } from './testing/answers.ts'

/** Code that stands in for precompiles, run in a small EVM. */
const s = suite('simulator/systemOverrides')
const evm = await createEVM()
async function run(code: Hex, data: Hex) {
  const { exceptionError, returnValue } = await evm.runCode({
    code: hexToBytes(code),
    data: hexToBytes(data),
    gasLimit: 100_000n,
  })
  return [exceptionError === undefined, bytesToHex(returnValue)]
}
const selector = (name: string) => toFunctionSelector(`${name}()`)
const unsupported = [false, unsupportedMark]
const arbSys: Address = '0x0000000000000000000000000000000000000064'
const arbGasInfo: Address = '0x000000000000000000000000000000000000006c'
const place = (last: string): Address => `0x${last.padStart(40, '0')}`

/** A chain that shows code by address, and answers calls by the name of what is asked. */
async function read({
  codes = {},
  answers = {},
  precompiles = 'arbOs',
}: {
  readonly codes?: Readonly<Record<Address, RpcOutcome>>
  readonly answers?: Readonly<Record<string, RpcOutcome>>
  readonly precompiles?: 'arbOs' | 'none'
}) {
  const batches: (readonly RpcCall[])[] = []
  const named = new Map(Object.entries(answers).map(([name, answer]) => [selector(name), answer]))
  const overrides = await readSystemOverrides(
    {
      async send(calls) {
        batches.push(calls)
        return calls.map(({ method, params }) => {
          const [of] = params as [Address & { readonly data: Hex }]
          if (method === 'eth_getCode') return codes[of] ?? told('0x')
          return named.get(of.data) ?? refused('execution reverted', 3)
        })
      },
    },
    {
      chainId: 42161,
      blockNumber: 291n,
      precompiles: precompiles === 'none' ? undefined : precompiles,
    },
  )
  return { overrides, batches }
}

s(
  'answers what is asked of it in its own words, and nothing else [teeth/system-code]',
  async () => {
    const [one, three] = [word(7n), concat([word(1n), word(2n), word(3n)])]
    const code = assembleAnswers(
      new Map<Hex, Hex>([
        [selector('one'), one],
        [selector('three'), three],
        // No words, and no whole ones, are no answer.
        [selector('none'), '0x'],
        [selector('odd'), '0x01'],
      ]),
    )
    assert.equal(await run(code, selector('one')), [true, one])
    assert.equal(await run(code, selector('three')), [true, three])
    assert.equal(await run(code, concat([selector('three'), word(9n)])), [true, three])
    for (const name of ['none', 'odd', 'other'])
      assert.equal(await run(code, selector(name)), unsupported, name)
    assert.equal(await run(code, '0x'), unsupported)
    assert.equal(await run(assembleAnswers(new Map()), selector('one')), unsupported)
  },
)
s(
  'answers as the chain does at that block, of whose it is by itself [teeth/system-read]',
  async () => {
    const { overrides, batches } = await read({
      codes: { [arbSys]: told('0xfe'), [arbGasInfo]: told('0xfe') },
      answers: {
        arbBlockNumber: told(word(290n)),
        arbOSVersion: told(word(95n)),
        isTopLevelCall: told(null),
        getPricesInWei: told(concat([word(4n), word(5n)])),
      },
    })
    const ask = (of: Address, name: string) => run(overrides[of]?.code ?? '0x', selector(name))
    assert.equal(await ask(arbSys, 'arbBlockNumber'), [true, word(291n)])
    assert.equal(await ask(arbSys, 'arbChainID'), [true, word(42161n)])
    assert.equal(await ask(arbSys, 'arbOSVersion'), [true, word(95n)])
    assert.equal(await ask(arbGasInfo, 'getPricesInWei'), [true, concat([word(4n), word(5n)])])
    // What was not answered, and what belongs to another one.
    for (const [of, name] of [
      [arbSys, 'isTopLevelCall'],
      [arbSys, 'getStorageGasAvailable'],
      [arbSys, 'getPricesInWei'],
      [arbGasInfo, 'getMinimumGasPrice'],
      [arbGasInfo, 'arbBlockNumber'],
    ] as const)
      assert.equal(await ask(of, name), unsupported, name)
    assert.is(batches.length, 1)
    const [calls = []] = batches
    assert.ok(calls.every(({ params }) => params.at(-1) === numberToHex(291)))
    assert.equal(
      calls.filter(({ method }) => method === 'eth_call').length,
      5 + 7,
      'what contracts read of the two',
    )
  },
)
s('stands in for what is no code, and for nothing that is [teeth/system-place]', async () => {
  const plain = (await read({})).overrides
  // A chain that shows none may need those that are read, not those of which nothing is known.
  assert.equal(Object.keys(plain), [arbSys, arbGasInfo])
  const codes = {
    [arbSys]: told('0x6001'),
    [arbGasInfo]: refused('busy'),
    [place('65')]: told('0xfe'),
    [place('ff')]: told('0xfe'),
    [place('70')]: told(null),
  }
  const { overrides } = await read({ codes })
  assert.equal(Object.keys(overrides), [place('65'), place('ff')])
  assert.equal(await run(overrides[place('ff')]?.code ?? '0x', selector('any')), unsupported)
})
s('asks nothing of a chain without precompiles of its own [teeth/system-place]', async () => {
  const { overrides, batches } = await read({ precompiles: 'none' })
  assert.equal([overrides, batches], [{}, []])
})
s.run()
