import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  pad,
  parseAbi,
} from 'viem'
import { taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import { createFindAllowance } from './findAllowance.ts'
import { permit2 } from './forbiddenTargets.ts'

const s = suite('meta/findAllowance')
const spender: Address = '0x00000000000000000000000000000000000000aa'
const nowSecs = 1_800_000_000n
const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])
const word = (value: bigint) => pad(`0x${value.toString(16)}`)
const none = `0x${word(0n).slice(2).repeat(3)}` as Hex

/** What it finds where the chain answers each call so; undefined is a call that failed. */
function find(
  answer: (call: { target: Address; data: Hex }) => Hex | undefined,
  asked: { readonly tokens?: readonly Address[]; readonly byPermit2?: boolean } = {},
) {
  const order: Address[] = []
  const request = async ({ params }: { params: readonly [{ data: Hex }] }) => {
    const { args } = decodeFunctionData({ abi: multicall, data: params[0].data })
    const result = args[0].map(({ target, callData }) => {
      order.push(target)
      const returnData = answer({ target, data: callData })
      return { success: returnData !== undefined, returnData: returnData ?? ('0x' as const) }
    })
    return encodeFunctionResult({ abi: multicall, functionName: 'aggregate3', result })
  }
  const chain = getChain(8453)
  const found = createFindAllowance({
    clientOf: () => ({ client: { request }, chain }) as unknown as ChainClient,
    tokensOf: () => [usdc],
    now: () => Number(nowSecs) * 1_000,
  })({
    chainId: 8453,
    owners: [taker, taker],
    spender,
    tokens: [],
    byPermit2: true,
    signal: new AbortController().signal,
    ...asked,
  })
  return found.then(({ status }) => [status, ...new Set(order)])
}
const granted = (untilSecs: bigint) =>
  `0x${[word(5n), word(untilSecs), word(1n)].map((each) => each.slice(2)).join('')}` as Hex

s(
  'finds what a token grants, and what Permit2 does for as long [17/permit2-allowance]',
  async () => {
    const byToken = find(({ target }) => (target === usdc ? word(1n) : none))
    assert.equal((await byToken)[0], 'held')
    const byPermit2 = (untilSecs: bigint, wanted = true) =>
      find(({ target }) => (target === permit2 ? granted(untilSecs) : none), { byPermit2: wanted })
    assert.equal((await byPermit2(nowSecs))[0], 'held')
    assert.equal((await byPermit2(nowSecs - 1n))[0], 'none')
    assert.equal((await byPermit2(nowSecs, false))[0], 'none')
  },
)

s(
  'asks a token that burns its gas last, and doubts what it left none for [17/burnt-allowances]',
  async () => {
    let gas = 2
    const burning = await find(
      ({ target }) => {
        if (target === weth) gas = 0
        gas -= 1
        return gas < 0 ? undefined : none
      },
      { tokens: [weth], byPermit2: false },
    )
    assert.equal(burning, ['none', usdc, weth])
    assert.equal((await find(() => undefined))[0], 'unknown')
    // Where nothing stands nothing is held.
    assert.equal((await find(() => '0x'))[0], 'none')
  },
)

s.run()
