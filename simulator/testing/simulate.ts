import { type Address, type Hex, toHex } from 'viem'
import { createStandInFork } from '../../fixtures/anvil/standInFork.ts'
import type { SlotVerdict } from '../balanceSlot/findBalanceSlot.ts'
import type { Candidate } from '../buildBundle.ts'
import type { TokenKind } from '../codelessTokens.ts'
import type { Whale } from '../findWhales.ts'
import type { Generation } from '../generation.ts'
import { createErrorTable } from '../revertReason.ts'
import { type RpcCall, type RpcFault, type RpcOutcome, RpcTransportError } from '../rpc/rpcBatch.ts'
import { type SimulateDeps, simulateCandidates } from '../simulateCandidates.ts'
import type { SlowLane } from '../slowLane.ts'
import { createSuspects } from '../suspects.ts'
import { addressOf, reverted, told } from './answers.ts'
import { type AskedBundle, type Performance, performBundle, readAsked } from './performBundle.ts'
import { plainSlot, plainSwap } from './plainSwap.ts'

export const taker = addressOf('d')
export const swap = plainSwap
export const other: Candidate = { ...swap, target: addressOf('9'), data: '0x05060708' }
export type Play = (asked: AskedBundle, nth: number) => Performance | RpcOutcome | RpcFault
export const gives = (amount: bigint): Performance => ({ held: 100n, gains: [amount] })
export const fails: Performance = { held: 100n, swap: reverted() }
export const hungry: Performance = { held: 100n, swap: reverted('0x', toHex(2_000_000n)) }

export type Given = {
  readonly play?: Play
  /** On the fork for suspects; its faults end it. */
  readonly apart?: Play | 'none'
  readonly onChain?: Play
  readonly candidates?: readonly Candidate[]
  readonly verdict?: SlotVerdict
  readonly whales?: readonly Whale[]
  readonly kindOf?: (token: Address) => TokenKind
  readonly code?: Hex
  readonly nowMs?: number
  readonly isChainAnswering?: boolean
  readonly suspected?: readonly Candidate[]
  readonly signal?: AbortSignal
  readonly header?: RpcOutcome
  readonly slowLane?: SlowLane
}
/** What a request asks of the forks, which answer what a row of a test says. */
export async function simulate({
  play = () => gives(20n),
  apart = () => gives(20n),
  onChain = () => gives(20n),
  candidates = [swap],
  verdict = plainSlot,
  whales = [],
  kindOf = () => 'other',
  code = '0x6001',
  nowMs = 0,
  isChainAnswering = true,
  suspected = [],
  signal,
  header = told(null),
  slowLane = (work) => work(),
}: Given = {}) {
  const batches: (readonly RpcCall[])[] = []
  const bundles: AskedBundle[] = []
  const ofSlow: AskedBundle[] = []
  const ofChain: RpcCall[] = []
  const forgotten: object[] = []
  const paidBy: (readonly Address[])[] = []
  let [condemned, slowForks] = [0, 0]
  function run(by: Play, seen: AskedBundle[], call: RpcCall): RpcOutcome {
    const asked = readAsked(call)
    seen.push(asked)
    const played = by(asked, seen.length)
    if (typeof played === 'string') throw new RpcTransportError(played)
    return 'ok' in played ? played : performBundle(asked, played)
  }
  const forkOf = (by: Play, seen: AskedBundle[]) =>
    createStandInFork({
      async batch(calls) {
        if (calls.length > 0) batches.push(calls)
        return calls.map((call) => {
          if (call.method === 'eth_simulateV1') return run(by, seen, call)
          if (call.method === 'eth_getBlockByNumber') return header
          return told(call.method === 'eth_getCode' ? code : '0x')
        })
      },
    })
  const suspects = createSuspects()
  for (const each of suspected) suspects.add(each)
  const slow: ReturnType<typeof createStandInFork>[] = []
  const deps: SimulateDeps = {
    slots: { resolve: async () => verdict, invalidate: (what) => void forgotten.push(what) },
    findWhales: async () => whales,
    codeless: async (_, tokens) => tokens.map(kindOf),
    upstream: {
      async sendApart(calls) {
        ofChain.push(...calls)
        return calls.map((call) => run(onChain, [], call))
      },
    },
    isChainAnswering: () => isChainAnswering,
    errors: createErrorTable([]),
    now: () => nowMs,
    simulatedTaker: taker,
    slowLane,
    suspects,
  }
  const generation: Generation = {
    blockNumber: 17n,
    blockHash: '0x17',
    timestampSecs: 1_000n,
    fork: forkOf(play, bundles).fork,
    overrides: {},
    condemn() {
      condemned += 1
    },
    async slowFork() {
      slowForks += 1
      if (apart === 'none') throw new Error('there is none')
      const made = forkOf(apart, ofSlow)
      slow.push(made)
      return made.fork
    },
  }
  const results = await simulateCandidates(deps, { generation, candidates, entrant: { signal } })
  for (const { prelude } of bundles) paidBy.push(prelude.map(({ from }) => from))
  return {
    results,
    batches,
    bundles,
    ofSlow,
    ofChain,
    forgotten,
    paidBy,
    suspects,
    condemned,
    slowForks,
    kills: slow.map(({ kills }) => kills()),
    methods: batches.flat().map(({ method }) => method),
  }
}
