import { type Address, zeroAddress } from 'viem'
import {
  factory,
  hub,
  named,
  openDex,
  pool,
  quoter,
  spare,
} from '../../../fixtures/meta/directRouters.ts'
import { makeRequest, router, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import type { ChainClient } from '../../chain/client.ts'
import { swapProxy } from './direct/uniswapV4.ts'
import { createOnChainSources, listLeftOut, type OnChainDex } from './onChainSources.ts'

/** Which exchanges become sources and what these may name; `onChain.fork.test.ts` trades with them. */
const s = suite('meta/onChainSources')
const chainId = 8453
const [proxy, taker, third] = [named('b1'), named('b2'), named('b3')]

type Row = Pick<OnChainDex, 'name' | 'protocol'> & { router?: Address }
function open(rows: readonly Row[], answers: Parameters<typeof openDex>[0] = {}) {
  const { dex } = openDex(answers)
  const hubTokens = [hub, spare, third]
  const chain = { multicall3: zeroAddress, hubTokens, wrappedNative: weth }
  const clients = [{ chainId, chain, client: dex.reader.client }] as unknown as ChainClient[]
  const dexesOf = () =>
    rows.map((row) => ({ router, factory, quoter, feesPips: [500], ...row }) as OnChainDex)
  const between: unknown[] = []
  const deps = {
    clients,
    dexesOf,
    now: () => 0,
    taxOf: () => 0,
    poolsBetween: (_: number, asked: unknown) => {
      between.push(asked)
      return [pool]
    },
  }
  return { deps, between }
}

s('makes a source of each exchange that has a way in, once by its name [teeth/on-chain]', () => {
  const { deps } = open([
    { name: 'a', protocol: 'uniswap_v2' },
    { name: 'a', protocol: 'uniswap_v2' },
    { name: 'no router', protocol: 'uniswap_v3', router: zeroAddress },
    { name: 'pools', protocol: 'curve_plain', router: zeroAddress },
    { name: 'stranger', protocol: 'unheard_of' },
  ])
  const sources = createOnChainSources(deps)
  assert.equal(
    sources.map(({ source }) => source.name),
    ['a', 'pools'],
  )
  assert.equal(listLeftOut(deps), [
    { name: 'no router', chainId, reason: 'no router of its own is known' },
    { name: 'stranger', chainId, reason: 'its family has no router here' },
  ])
})
s(
  'lets payloads name the router, who takes for it, or the pools that were named [teeth/on-chain]',
  async () => {
    const { deps } = open(
      [
        { name: 'plain', protocol: 'uniswap_v2' },
        { name: 'v4', protocol: 'uniswap_v4' },
        { name: 'named', protocol: 'dodo_v2' },
        { name: 'pools', protocol: 'curve_plain' },
      ],
      {
        [router]: { '_DODO_APPROVE_PROXY_() returns (address)': proxy },
        [proxy]: { '_DODO_APPROVE_() returns (address)': taker },
        [factory]: {
          'pool_count() returns (uint256)': 1n,
          'find_pool_for_coins(address, address, uint256) returns (address)': pool,
        },
        [pool]: {
          'coins(uint256) returns (address)': (index: bigint) => [usdc, weth][Number(index)],
        },
      },
    )
    const sources = createOnChainSources(deps)
    const rowOf = (name: string) => sources.find(({ source }) => source.name === name)?.targets[0]
    const namedBy = (name: string) => [rowOf(name)?.targets, rowOf(name)?.spenders]
    assert.equal(namedBy('plain'), [[router], [router]])
    assert.equal(namedBy('v4'), [[router, swapProxy], [swapProxy]])
    await waitFor('the router says who takes', () => rowOf('named')?.spenders?.length === 1)
    assert.equal(namedBy('named'), [[router], [taker]])
    assert.equal(namedBy('pools'), [[], []])
    const context = { signal: new AbortController().signal, onRetry: () => undefined }
    const asked = sources.find(({ source }) => source.name === 'pools')?.source
    await asked?.quote(makeRequest(), context)
    assert.equal(namedBy('pools'), [[pool], [pool]])
  },
)
s('serves no chain on which the router is none [teeth/on-chain]', async () => {
  const { deps } = open(
    [
      { name: 'here', protocol: 'uniswap_v2' },
      { name: 'gone', protocol: 'uniswap_v2', router: third },
    ],
    { [router]: { 'WETH() returns (address)': weth } },
  )
  const [here, gone] = createOnChainSources(deps)
  assert.equal([here?.serves(1), here?.serves(chainId)], [false, true])
  await waitFor('it is told', () => gone?.serves(chainId) === false)
  assert.is(here?.serves(chainId), true)
})
s('goes through the first two hubs, and asks for pools by the name [teeth/on-chain]', async () => {
  const paths: unknown[] = []
  const { deps, between } = open(
    [
      { name: 'a', protocol: 'uniswap_v2' },
      { name: 'b', protocol: 'balancer_v2_weighted' },
    ],
    {
      [router]: {
        'WETH() returns (address)': weth,
        'getAmountsOut(uint256, address[]) returns (uint256[])': (_: bigint, path: unknown) => {
          paths.push(path)
          return [1n, 1n]
        },
      },
    },
  )
  const context = { signal: new AbortController().signal, onRetry: () => undefined }
  for (const { source } of createOnChainSources(deps)) await source.quote(makeRequest(), context)
  assert.equal(paths, [
    [usdc, weth],
    [usdc, hub, weth],
    [usdc, spare, weth],
  ])
  assert.equal(between, [{ dex: 'b', tokens: [usdc, weth] }])
})
s.run()
