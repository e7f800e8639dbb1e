import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { curveOutput } from '../../routing/protocols/maths/curve.ts'
import type { EnginePool } from '../../routing/protocols/maths/enginePool.ts'
import type { PoolRecord } from './readPools.ts'

/** The parts of @sushiswap/tines that the bench calls. */
type Token = { address: string; name: string; symbol: string; chainId: number }
type PeerPool = { readonly address: string }
type Leg = {
  readonly poolAddress: string
  readonly tokenFrom: Token
  readonly tokenTo: Token
  readonly swapPortion: number
}
type MultiRoute = {
  readonly status: string
  readonly legs: readonly Leg[]
  readonly gasSpent: number
}
type Tines = {
  ConstantProductRPool: new (
    address: string,
    token0: Token,
    token1: Token,
    fee: number,
    reserve0: bigint,
    reserve1: bigint,
  ) => PeerPool
  UniV3Pool: new (
    address: string,
    token0: Token,
    token1: Token,
    fee: number,
    reserve0: bigint,
    reserve1: bigint,
    tick: number,
    liquidity: bigint,
    sqrtPriceX96: bigint,
    ticks: { index: number; DLiquidity: bigint }[],
  ) => PeerPool
  findMultiRouteExactIn: (
    from: Token,
    to: Token,
    amountIn: bigint,
    pools: readonly PeerPool[],
    base: Token,
    gasPrice: number,
  ) => MultiRoute
}

export type PeerAnswer = {
  readonly output: bigint
  readonly gas: number
  readonly legs: number
  readonly ms: number
}
export type Peer = (trade: {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly gasPriceWei: bigint
}) => PeerAnswer | undefined

const packageName = '@sushiswap/tines@1.0.11'
/** What its own dependency names as a peer and loads. */
const peers = ['viem@2.57.1']

/**
 * Installs the peer into a temporary folder: its licence forbids depending on it, measuring against
 * it is what it is fetched for. Undefined when the registry cannot be reached.
 */
export function fetchPeer(log: (line: string) => void): Tines | undefined {
  const folder = process.env['BENCH_PEER_DIR'] ?? mkdtempSync(join(tmpdir(), 'bench-peer-'))
  const entry = join(folder, 'node_modules/@sushiswap/tines/dist/index.js')
  if (!existsSync(entry)) {
    const flags = [
      '--no-audit',
      '--no-fund',
      '--legacy-peer-deps',
      '--ignore-scripts',
      '--loglevel=error',
    ]
    const install = spawnSync('npm', ['i', '--prefix', folder, ...flags, packageName, ...peers], {
      encoding: 'utf8',
    })
    if (install.status !== 0) {
      log(`${packageName} cannot be installed here: ${install.stderr.trim().split('\n')[0] ?? ''}`)
      return undefined
    }
  }
  return createRequire(import.meta.url)(entry) as Tines
}

/** The peer over the same pools; its legs are replayed in exact integers, like ours. */
export function createPeer(
  tines: Tines,
  {
    records,
    pools,
    base,
  }: {
    readonly records: readonly PoolRecord[]
    readonly pools: readonly EnginePool[]
    readonly base: string
  },
): Peer {
  const tokens = new Map<string, Token>()
  const tokenOf = (address: string) => {
    const known = tokens.get(address)
    if (known) return known
    const token = { address, name: address, symbol: address, chainId: 1 }
    tokens.set(address, token)
    return token
  }
  const byId = new Map(pools.map((pool) => [pool.id, pool]))
  const peerPools = records.map((record) => toPeerPool(tines, record, byId.get(record.id), tokenOf))
  return ({ tokenIn, tokenOut, amountIn, gasPriceWei }) => {
    const started = performance.now()
    const route = tines.findMultiRouteExactIn(
      tokenOf(tokenIn),
      tokenOf(tokenOut),
      amountIn,
      peerPools,
      tokenOf(base),
      Number(gasPriceWei),
    )
    const ms = performance.now() - started
    if (route.status !== 'Success') return undefined
    const output = replayLegs(byId, route.legs, { tokenIn, tokenOut, amountIn })
    return { output, gas: route.gasSpent, legs: route.legs.length, ms }
  }
}

function toPeerPool(
  tines: Tines,
  record: PoolRecord,
  pool: EnginePool | undefined,
  tokenOf: (address: string) => Token,
): PeerPool {
  const token0 = tokenOf(record.tokens[0])
  const token1 = tokenOf(record.tokens[1])
  const fee = record.feePips / 1e6
  if (record.type === 'v2')
    return new tines.ConstantProductRPool(
      record.id,
      token0,
      token1,
      fee,
      BigInt(record.r0),
      BigInt(record.r1),
    )
  const held = (i: number, j: number) => {
    const curve = pool?.curve(i, j)
    const amount = curve ? curveOutput(curve, Number.MAX_VALUE) : 0
    return BigInt(Math.ceil(Math.min(amount, 2 ** 112))) + 10_000n
  }
  return new tines.UniV3Pool(
    record.id,
    token0,
    token1,
    fee,
    held(1, 0),
    held(0, 1),
    record.tick,
    BigInt(record.liquidity),
    BigInt(record.sqrtPriceX96),
    record.ticks.map(([index, liquidityNet]) => ({ index, DLiquidity: BigInt(liquidityNet) })),
  )
}

/** What the legs really bring: each takes its portion of what is there, the last of a token the rest. */
function replayLegs(
  byId: ReadonlyMap<string, EnginePool>,
  legs: readonly Leg[],
  { tokenIn, tokenOut, amountIn }: { tokenIn: string; tokenOut: string; amountIn: bigint },
): bigint {
  const balances = new Map([[tokenIn, amountIn]])
  for (const leg of legs) {
    const from = leg.tokenFrom.address
    const to = leg.tokenTo.address
    const balance = balances.get(from) ?? 0n
    const portion = BigInt(Math.floor(leg.swapPortion * 2 ** 53))
    const taken = leg.swapPortion >= 1 ? balance : (balance * portion) >> 53n
    const pool = byId.get(leg.poolAddress)
    if (!pool || taken === 0n) continue
    const swap = pool.swap(pool.tokens.indexOf(from), pool.tokens.indexOf(to), taken)
    balances.set(from, balance - taken)
    balances.set(to, (balances.get(to) ?? 0n) + (swap?.amountOut ?? 0n))
  }
  return balances.get(tokenOut) ?? 0n
}
