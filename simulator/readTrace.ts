import { type Address, getAddress, type Hex, isHex, pad, size, slice, toEventSelector } from 'viem'
import { describeRevert, type ErrorTable } from './revertReason.ts'

export type TracedTransfer = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/** One call of a trace. All in it is of the contracts' own making. */
export type TracedCall = {
  /** Of the candidate's own call: 0. */
  readonly depth: number
  /** `call`, `delegatecall`, `staticcall`, `create` … */
  readonly kind: string
  readonly from: Address
  readonly to: Address | undefined
  readonly valueWei: bigint
  readonly gasUsed: bigint
  /** Of the function; shorter where the calldata is. */
  readonly selector: Hex
  readonly failure: string | undefined
  /** The others that failed did so because of this one. */
  readonly isCause: boolean
  /** It, or a call around it, failed: nothing of it stays. */
  readonly isUndone: boolean
  /** As the token told; where that is undone, as it was asked for without failing. */
  readonly transfers: readonly TracedTransfer[]
}

export type Trace = {
  /** In the order in which they began. */
  readonly calls: readonly TracedCall[]
  readonly leftOut: number
}

/** As anvil's `callTracer` writes it. */
type Frame = {
  readonly type?: string
  readonly from: Address
  readonly to?: Address
  readonly value?: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly { address: Address; topics: readonly Hex[]; data: Hex }[]
}
type Placed = { readonly frame: Frame; readonly depth: number; readonly isUndone: boolean }

export const mostCalls = 300
export const mostDepth = 48
const mostTransfers = 20
const transferTopic = toEventSelector('event Transfer(address,address,uint256)')
const isGasGone = /gas/i

/** Undefined for what is no trace. Of more calls than a person reads, the first, and those that failed it all. */
export function readTrace(
  result: unknown,
  { errors }: { readonly errors: ErrorTable },
): Trace | undefined {
  if (typeof result !== 'object' || result === null || !('input' in result)) return undefined
  // As anvil itself wrote it.
  const all = flatten(result as Frame)
  const failing = findFailing(result as Frame)
  const kept = all.filter(
    ({ frame, depth }, index) =>
      depth < mostDepth && (index < mostCalls || failing.includes(frame)),
  )
  const calls = kept.map((placed) =>
    readCall(placed, { errors, isCause: placed.frame === failing.at(-1) }),
  )
  return { calls, leftOut: all.length - kept.length }
}

function flatten(root: Frame): readonly Placed[] {
  const found: Placed[] = []
  const place = (frame: Frame, depth: number, isIn = false): Placed => ({
    frame,
    depth,
    isUndone: isIn || frame.error !== undefined,
  })
  const open = [place(root, 0)]
  for (let next = open.pop(); next; next = open.pop()) {
    found.push(next)
    const { frame, depth, isUndone } = next
    for (const call of frame.calls?.toReversed() ?? []) open.push(place(call, depth + 1, isUndone))
  }
  return found
}

/**
 * From the candidate's call to the one that made it fail. A call failed because of one that it made where
 * that was its last one, or where it passes on what that reverted with; else by a check of its own.
 */
function findFailing(root: Frame): readonly Frame[] {
  const failing: Frame[] = []
  for (let next = root.error === undefined ? undefined : root; next; ) {
    failing.push(next)
    const { calls = [], output = '0x' } = next
    next = calls.findLast(
      (call) =>
        call.error !== undefined &&
        (call === calls.at(-1) || (output !== '0x' && call.output === output)),
    )
  }
  return failing
}

function readCall(
  { frame, depth, isUndone }: Placed,
  { errors, isCause }: { readonly errors: ErrorTable; readonly isCause: boolean },
): TracedCall {
  const { type = 'CALL', from, to, value = '0x0', gasUsed, input } = frame
  const isCreation = type.startsWith('CREATE')
  return {
    depth,
    kind: type.toLowerCase(),
    from: getAddress(from),
    to: to === undefined ? undefined : getAddress(to),
    valueWei: BigInt(value),
    gasUsed: BigInt(gasUsed),
    selector: size(input) === 0 || isCreation ? '0x' : slice(input, 0, Math.min(4, size(input))),
    failure: describeFailure(frame, errors),
    isCause,
    isUndone,
    transfers: isUndone ? readAsked(frame) : readTransfers(frame),
  }
}

/** Never anvil's own words. */
function describeFailure({ error, output = '0x' }: Frame, errors: ErrorTable): string | undefined {
  if (error === undefined) return undefined
  if (size(output) > 0) return describeRevert(output, errors)
  if (isGasGone.test(error)) return 'out of gas'
  return error.includes('revert') ? describeRevert('0x', errors) : 'execution halted'
}

/** Those of collectibles have their number among the topics. */
function readTransfers({ logs = [] }: Frame): readonly TracedTransfer[] {
  const told = logs.flatMap(({ address, topics, data }) => {
    const [topic, from, to, more] = topics
    if (topic !== transferTopic || !from || !to || more !== undefined) return []
    if (!isHex(data) || size(data) !== 32) return []
    const ends = { from: toAddress(from), to: toAddress(to) }
    return [{ token: getAddress(address), ...ends, amount: BigInt(data) }]
  })
  return told.slice(0, mostTransfers)
}

/** anvil forgets the logs of what is undone; a proxy's own call of its code would ask twice. */
function readAsked({ type, error, from, to, input }: Frame): readonly TracedTransfer[] {
  if (type !== 'CALL' || error !== undefined || to === undefined) return []
  const token = getAddress(to)
  const [, transfer] = /^0xa9059cbb(.{128})/.exec(input) ?? []
  const [, transferFrom] = /^0x23b872dd(.{192})/.exec(input) ?? []
  const words = transfer === undefined ? transferFrom : `${pad(from).slice(2)}${transfer}`
  if (words === undefined) return []
  const [payer, payee, amount] = [0, 64, 128].map((at): Hex => `0x${words.slice(at, at + 64)}`)
  if (!payer || !payee || !amount) return []
  return [{ token, from: toAddress(payer), to: toAddress(payee), amount: BigInt(amount) }]
}

const toAddress = (word: Hex) => getAddress(slice(word, 12))
