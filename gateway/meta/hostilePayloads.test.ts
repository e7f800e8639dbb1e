import {
  type AbiParameter,
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { hostilePayloads, thief } from '../../fixtures/meta/hostilePayloads.ts'
import {
  bareChain,
  makeQuote,
  makeRequest,
  router,
  taker,
  usdc,
  weth,
} from '../../fixtures/meta/quotes.ts'
import { tangledCommands, tangledMulticall } from '../../fixtures/meta/tangledList.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { chains, getDexes, seedTokens } from '../chain/chains.ts'
import { type ChainClient, createChainClient } from '../chain/client.ts'
import { isNative } from '../chain/native.ts'
import { checkQuote, type TargetRow } from './calldata/checkQuote.ts'
import { listLendingMarkets, permit2 } from './calldata/forbiddenTargets.ts'
import { nativeToken, type SourceQuote, type SourceRequest } from './provider/source.ts'
import { createOnChainSources } from './sources/onChainSources.ts'
import { providers, targetsOf } from './sources/providers.ts'

/** What a hacked provider would have the taker sign, from every source, also from those on a list. */
const s = suite('meta/hostilePayloads')
const clients: readonly ChainClient[] = chains.map((chain) =>
  createChainClient({ chain, rpcUrls: ['http://127.0.0.1:9'], timeoutMs: 300 }),
)
s.after(() => {
  for (const client of clients) client.close()
})
const onChain = createOnChainSources({
  clients,
  dexesOf: getDexes,
  now: Date.now,
  taxOf: () => undefined,
  poolsBetween: () => [],
})
const sources = [
  'routing',
  ...providers.map(({ name }) => name),
  ...onChain.map((o) => o.source.name),
]
const isToken = (chainId: number, address: string) =>
  seedTokens(chainId).some((token) => token.address.toLowerCase() === address.toLowerCase())

/** The source is switched on and has `router`, or `target`, on its list: the worst case for the taker. */
function why(provider: string, quote: Partial<SourceQuote>, request: Partial<SourceRequest> = {}) {
  const asked = makeRequest(request)
  const target = quote.target ?? router
  const { chainId } = asked
  const listed: TargetRow = { provider, chainId, targets: [target], spenders: [router, target] }
  const open: TargetRow = { provider, chainId, targets: undefined, spenders: undefined }
  const value = isNative(asked.tokenIn) ? 1_000_000n : 0n
  const approveTarget = isNative(asked.tokenIn) ? undefined : router
  const whole = makeQuote({ provider, value, approveTarget, ...quote })
  const reasons = [listed, open].map((row) => {
    const deps = { ...bareChain, isToken, targets: [row], policy: 'standard' as const }
    return checkQuote(deps, { quote: whole, request: asked })?.reason
  })
  return reasons[0] === reasons[1] ? reasons[0] : reasons.join(' or ')
}

s('has at least sixty payloads and all sources [strangers/payloads]', () => {
  assert.ok(new Set(hostilePayloads.map(({ calldata }) => calldata)).size >= 60)
  assert.ok(sources.length > providers.length + 5, `${sources.length}`)
  for (const name of sources) assert.is(why(name, {}), undefined, name)
})

for (const { name, calldata } of hostilePayloads)
  s(`refuses ${name.slice(0, 100)} from every source`, () => {
    for (const source of sources) {
      assert.is(why(source, { calldata }), 'calldata_mismatch', source)
      const native = { tokenIn: nativeToken }
      assert.is(why(source, { calldata }, native), 'calldata_mismatch', `${source} native`)
    }
  })

for (const { chainId } of chains) {
  const targets = [
    ['Permit2', permit2],
    ...listLendingMarkets(chainId).map((market) => [`lending market ${market}`, market] as const),
    ...seedTokens(chainId).map(({ symbol, address }) => [symbol, address] as const),
    ['the taker', taker],
  ] as const
  s(
    `refuses ${targets.length} targets on chain ${chainId} from every source [strangers/targets]`,
    () => {
      for (const [name, target] of targets)
        for (const source of sources)
          assert.is(why(source, { target }, { chainId }), 'target_not_allowed', `${source} ${name}`)
    },
  )
}

s('refuses the tokens of the request also where no registry knows them', () => {
  const [tokenIn, tokenOut] = [
    '0x00000000000000000000000000000000000000A1',
    '0x00000000000000000000000000000000000000b2',
  ] as const
  for (const target of [tokenIn, tokenOut])
    for (const source of sources)
      assert.is(why(source, { target }, { tokenIn, tokenOut }), 'target_not_allowed', source)
})

s('takes a multicall of a router that only swaps', () => {
  const abi = parseAbi([
    'function multicall(uint256 deadline, bytes[] data)',
    'function exactInputSingle((address, address, uint24, address, uint256, uint256, uint160) params)',
  ])
  const swap = encodeFunctionData({
    abi,
    functionName: 'exactInputSingle',
    args: [[usdc, weth, 500, taker, 1n, 1n, 0n]],
  })
  const calldata = encodeFunctionData({ abi, functionName: 'multicall', args: [1n, [swap]] })
  assert.is(why('kyberswap', { calldata }), undefined)
})

s('takes what a router does with what it is sent [17/router-commands]', () => {
  const execute = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline)'])
  const toInput = (types: string, values: readonly unknown[]) =>
    encodeAbiParameters(parseAbiParameters(types) as readonly AbiParameter[], values)
  const path = concat([weth, '0x0001f4', usdc])
  const swap = (isFirst: boolean) =>
    toInput('address, uint256, uint256, bytes, bool', [taker, 1n, 995n, path, !isFirst])
  const actions = toInput('bytes, bytes[]', [
    '0x0b0f',
    [
      toInput('address, uint256, bool', [nativeToken, 0n, true]),
      toInput('address, uint256', [usdc, 0n]),
    ],
  ])
  const wrap = toInput('address, uint256', [router, 1n])
  const sweep = toInput('address, address, uint256', [usdc, taker, 0n])
  const whyOf = (commands: Hex, inputs: readonly Hex[]) =>
    why(
      'uniswap-api',
      { calldata: encodeFunctionData({ abi: execute, args: [commands, inputs, 1n] }) },
      { tokenIn: nativeToken, tokenOut: usdc },
    )
  const sub = toInput('bytes, bytes[]', ['0x00', [swap(true)]])
  const judge = (isFirst: boolean) =>
    whyOf('0x0b00102104', [wrap, swap(isFirst), actions, sub, sweep])
  assert.equal([judge(true), judge(false)], [undefined, 'calldata_mismatch'])
})

s('reads no bytes twice, however many entries of a list name them [17/tangled-lists]', () => {
  const [call, input]: [Hex, Hex] = [`0x12345678${'00'.repeat(996)}`, `0x${'00'.repeat(1_024)}`]
  const whyOf = (calldata: Hex) => why('kyberswap', { calldata }, { relaxMinReturn: true })
  assert.is(whyOf(tangledMulticall(call, 1)), undefined)
  assert.is(whyOf(tangledMulticall(call, 2)), 'calldata_mismatch')
  assert.is(whyOf(tangledCommands('0x00', input, 1)), undefined)
  assert.is(whyOf(tangledCommands('0x00', input, 2)), 'calldata_mismatch')
  // A few thousand bytes of calls of calls of calls, which came to some millions.
  const nest = (inner: Hex) => tangledMulticall(inner, 300)
  assert.is(whyOf(nest(nest(nest(call)))), 'calldata_mismatch')
})

s('hands the input to no router off the list [17/router-of-proxy]', () => {
  const abi = parseAbi([
    'function execute(address router, address token, uint256 amount, bytes commands, bytes[] inputs, uint256 deadline)',
  ])
  const through = (to: Address) => {
    const calldata = encodeFunctionData({ abi, args: [to, usdc, 1_000_000n, '0x', [], 1n] })
    return why('uniswap-api', { calldata }, { relaxMinReturn: true })
  }
  assert.is(through(router), undefined)
  assert.is(through(thief), 'target_not_allowed or ')
})

s('asks nobody without a list by default [strangers/unlisted-off]', () => {
  const listed = new Set(targetsOf([]).map(({ provider }) => provider))
  for (const name of ['okx', 'enso', 'relay', 'remote-routing']) assert.is(listed.has(name), false)
})

s.run()
