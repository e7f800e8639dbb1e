import {
  type Abi,
  type Address,
  createClient,
  custom,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  keccak256,
  numberToHex,
  parseAbiItem,
  toEventSelector,
} from 'viem'
import { managerLens, poolLens, quoteLens } from '../../../contracts/artifacts.ts'
import { runPacked } from '../../../fixtures/nodes/mainnet/runLens.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { packedCode } from '../reads/packedCalls.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import type { ReadDeps } from '../reads/poolRef.ts'

/** What a contract answers to a view, which is written as `balances(uint256)(uint256)`; who is not told of reverts. */
export type Told = readonly [
  to: string,
  view: string,
  answer: readonly unknown[],
  args?: readonly unknown[],
]
/** What functions of lenses answer, by their names. */
type LensAnswers = Readonly<Record<string, (...args: never[]) => unknown>>

function parseView(view: string) {
  const cut = view.indexOf(')(') + 1
  const text: string = `function ${view.slice(0, cut)} view returns ${view.slice(cut)}`
  const item = parseAbiItem(text)
  if (item.type !== 'function') throw new Error(`no view: ${view}`)
  return item
}

function nameCall([to, view, , args = []]: Told): string {
  const item = parseView(view)
  const abi: Abi = [item]
  return `${to.toLowerCase()} ${encodeFunctionData({ abi, functionName: item.name, args })}`
}

const lenses = [poolLens, managerLens, quoteLens].map(({ abi, deployedBytecode }) => ({
  abi: abi as Abi,
  deployedBytecode,
}))

/** When all of its blocks were made. */
export const nodeSecs = 1_000

/** Hashes of code: that of each address is its word's. */
export const codeHashOf = (address: string): Hex =>
  keccak256(`0x${address.slice(2).toLowerCase().padStart(64, '0')}`)

/** A node that knows views by heart, and what its reader tells of failures and of what it declines. */
export function createViewNode(
  told: readonly Told[],
  answers: LensAnswers = {},
  logs: readonly Pick<PoolLog, 'topics' | 'data'>[] = [],
) {
  const known = new Map(
    told.map((one) => [
      nameCall(one),
      encodeAbiParameters(parseView(one[1]).outputs, one[2] as readonly unknown[]),
    ]),
  )
  const view = ({ to, data }: { readonly to: Address; readonly data: Hex }) =>
    known.get(`${to.toLowerCase()} ${data}`)

  function run(code: Hex | undefined, data: Hex): Hex {
    if (code === packedCode) return runPacked({ view }, { data, block: 1, gas: 1e12 })
    const lens = lenses.find(({ deployedBytecode }) => deployedBytecode === code)
    if (lens) {
      const { functionName, args = [] } = decodeFunctionData({ abi: lens.abi, data })
      const result = answers[functionName]?.(...(args as never[]))
      if (result === undefined) throw new Error(`the node knows no ${functionName}`)
      return encodeFunctionResult({ abi: lens.abi, functionName, result })
    }
    const words = data.slice(2).match(/.{64}/g) ?? []
    return `0x${words.map((word) => keccak256(`0x${word}`).slice(2)).join('')}`
  }
  const request = async ({
    method,
    params,
  }: {
    readonly method: string
    readonly params: readonly unknown[]
  }) => {
    if (method === 'eth_getBlockByNumber')
      return { number: params[0], hash: '0x1', parentHash: '0x0', timestamp: numberToHex(nodeSecs) }
    if (method === 'eth_getLogs') return logs
    const [{ to, data }, , overrides] = params as [
      { readonly to: Address; readonly data: Hex },
      Hex,
      Readonly<Record<Address, { readonly code: Hex }>>,
    ]
    return run(overrides[to]?.code, data)
  }
  const failures: string[] = []
  const declined: string[] = []
  const deps: ReadDeps = {
    client: createClient({
      chain: toViemChain(base),
      transport: custom({ request }, { retryCount: 0 }),
    }),
    noteFailure: ({ target }, failure) => failures.push(`${failure} ${target.toLowerCase()}`),
    decline: ({ address }) => declined.push(address.toLowerCase()),
  }
  return { deps, failures, declined }
}

/** What is told, but nothing of a view, or else another answer, of other types where it is told `as` that. */
export function changeTold(
  told: readonly Told[],
  view: string,
  answer?: readonly unknown[],
  as?: string,
): readonly Told[] {
  const changed = new Set(told.filter(([, name]) => name.startsWith(`${view}(`)))
  if (changed.size === 0) throw new Error(`nobody is asked for ${view}`)
  return told.flatMap((one): readonly Told[] => {
    if (!changed.has(one)) return [one]
    const [to, name, , args = []] = one
    return answer ? [[to, as ?? name, answer, args]] : []
  })
}

/** The same of another contract, where others are asked about it, too. */
export const moveTold = (told: readonly Told[], from: string, to: string): readonly Told[] =>
  told.map(([of, view, answer, args = []]) => [
    of === from ? to : of,
    view,
    answer,
    args.map((arg) => (arg === from ? to : arg)),
  ])

/** Addresses that nothing else has. */
export const fakeAddress = (n: number): Address =>
  `0x${(0xfa0000 + n).toString(16).padStart(40, '0')}`

/** A row of an exchange. */
export const fakeDex = (own: Partial<Dex> & Pick<Dex, 'protocol'>): Dex => ({
  name: 'd',
  label: 'D',
  factory: fakeAddress(0xffff),
  feesPips: [3_000],
  deployBlock: 0,
  ...own,
})

export const partOf = (address: string) => ({ address, codeHash: codeHashOf(address) })

/** As a contract tells it, two blocks after those that tests read pools at. */
export const fakeLog = (
  address: string,
  event: string,
  { data = '0x', topics = [] }: { readonly data?: Hex; readonly topics?: readonly Hex[] } = {},
) => ({
  address: address.toLowerCase(),
  topics: [toEventSelector(event), ...topics],
  data,
  blockNumber: 9n,
  blockHash: '0x9' as const,
  logIndex: 0,
})
