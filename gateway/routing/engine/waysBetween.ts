import type { Market } from './market.ts'

/**
 * The market's blocks: within one, any two pairs lie on a circle that visits no token twice. They hang
 * together by single tokens, as a tree.
 */
type Blocks = {
  /** Of each pair. */
  readonly ofPair: Int32Array
  /** The block in which a token hangs from the tree; -1 for a root. */
  readonly above: Int32Array
  /** The token from which each block hangs. */
  readonly tops: readonly number[]
  /** The ways that were asked for. */
  readonly between: Map<string, Uint8Array>
}
/** Each has a byte for every pair. */
const mostKnown = 128

/** By the order of a market's pairs: snapshots share it until pools come or go. */
const known = new WeakMap<Int32Array, Blocks>()

/**
 * By pair, 1 where a way from one token to the other that visits no token twice may lead through it,
 * however long. What hangs on the market by one token alone is on no such way to anywhere else.
 */
export function waysBetween(market: Market, tokenIn: number, tokenOut: number): Uint8Array {
  const blocks = known.get(market.pairTo) ?? findBlocks(market)
  known.set(market.pairTo, blocks)
  const name = `${tokenIn} ${tokenOut}`
  const before = blocks.between.get(name)
  if (before) return before
  const ways = findWays(blocks, tokenIn, tokenOut)
  if (blocks.between.size >= mostKnown) blocks.between.clear()
  blocks.between.set(name, ways)
  return ways
}

function findWays(blocks: Blocks, tokenIn: number, tokenOut: number): Uint8Array {
  const isOn = new Uint8Array(blocks.tops.length)
  for (const block of blocksBetween(blocks, tokenIn, tokenOut)) isOn[block] = 1
  const ways = new Uint8Array(blocks.ofPair.length)
  for (let pair = 0; pair < ways.length; pair++)
    ways[pair] = isOn[blocks.ofPair[pair] as number] as number
  return ways
}

/** From both tokens up the tree, as far as their ways differ. */
function blocksBetween(blocks: Blocks, one: number, other: number): readonly number[] {
  const [up, down] = [climb(blocks, one), climb(blocks, other)]
  for (;;) {
    const [above, below] = [up.at(-1), down.at(-1)]
    if (!above || !below || above.block !== below.block) break
    // Where both come into a block by the same token, they met below it.
    if (above.from !== below.from) return [...up, ...down].map(({ block }) => block)
    up.pop()
    down.pop()
  }
  return [...up, ...down].map(({ block }) => block)
}

/** The blocks above a token, and the token by which each is come into. */
function climb({ above, tops }: Blocks, token: number) {
  const way: { readonly block: number; readonly from: number }[] = []
  for (let from = token; ; ) {
    const block = above[from] as number
    if (block < 0) return way
    way.push({ block, from })
    from = tops[block] as number
  }
}

/** Depth first, without recursion: markets have thousands of tokens in a row. */
function findBlocks(market: Market): Blocks {
  const { outPairs, pairFrom, pairTo } = market
  const size = market.tokens.length
  const order = new Int32Array(size).fill(-1)
  const low = new Int32Array(size)
  const next = outPairs.slice(0, size)
  const above = new Int32Array(size).fill(-1)
  const tops: number[] = []
  const open: number[] = []
  const trail: number[] = []
  let count = 0
  const enter = (token: number) => {
    order[token] = count
    low[token] = count
    count += 1
    open.push(token)
    trail.push(token)
  }
  const leave = (token: number) => {
    trail.pop()
    const parent = trail.at(-1)
    if (parent === undefined) return
    low[parent] = Math.min(low[parent] as number, low[token] as number)
    if ((low[token] as number) < (order[parent] as number)) return
    for (let member = -1; member !== token; ) {
      member = open.pop() as number
      above[member] = tops.length
    }
    tops.push(parent)
  }
  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue
    enter(root)
    while (trail.length > 0) {
      const token = trail.at(-1) as number
      const pair = next[token] as number
      if (pair === outPairs[token + 1]) {
        leave(token)
        continue
      }
      next[token] = pair + 1
      const to = pairTo[pair] as number
      if (order[to] === -1) enter(to)
      else if (to !== trail.at(-2)) low[token] = Math.min(low[token] as number, order[to] as number)
    }
    open.pop()
  }
  const ofPair = pairFrom.map((from, pair) => {
    const to = pairTo[pair] as number
    return above[(order[from] as number) > (order[to] as number) ? from : to] as number
  })
  return { ofPair, above, tops, between: new Map() }
}
