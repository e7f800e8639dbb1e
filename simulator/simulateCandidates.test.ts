import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { apartUnavailable } from './classifyOutcome.ts'
import type { Fork } from './fork.ts'
import { createErrorTable } from './revertReason.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'
import { type SimulateDeps, simulateCandidates } from './simulateCandidates.ts'
import { createSuspects } from './suspects.ts'

/** What a request asks of the fork that it shares with others. */
const s = suite('simulateCandidates')
const address = (digit: string) => `0x${digit.repeat(40)}` as const
const bomb: Candidate = {
  target: address('a'),
  data: '0x01020304',
  value: 0n,
  tokenIn: address('b'),
  tokenOut: address('c'),
  amountIn: 1n,
  spender: undefined,
  funding: 'real',
  // A view of a stranger's token: however much it fetches, it is to fetch nothing here.
  holdings: [{ contract: address('b'), data: '0x05', loss: 'rise', sentence: 'approves somebody' }],
}

s('reads nothing ahead of a suspect beside everybody else [attack/suspects-ahead]', async () => {
  const asked: RpcCall[] = []
  const fork: Fork = {
    rpc: {
      async batch(calls) {
        asked.push(...calls)
        return calls.map(() => ({ ok: true, result: '0x' }))
      },
      close: async () => undefined,
    },
    url: '',
    exited: new Promise(() => undefined),
    isAlive: () => true,
    kill: async () => undefined,
  }
  const suspects = createSuspects()
  suspects.add(bomb)
  const deps: SimulateDeps = {
    slots: {
      resolve: () => Promise.reject(new Error('it has what it sells')),
      invalidate: () => undefined,
    },
    findWhales: async () => [],
    codeless: async (_, tokens) => tokens.map(() => 'other'),
    upstream: { sendApart: () => Promise.reject(new Error('no token is the chain’s own')) },
    isChainAnswering: () => true,
    errors: createErrorTable([]),
    now: Date.now,
    simulatedTaker: address('d'),
    slowLane: (work) => work(),
    suspects,
  }
  const results = await simulateCandidates(deps, {
    generation: {
      blockNumber: 1n,
      blockHash: '0x01',
      timestampSecs: 1n,
      fork,
      overrides: {},
      condemn: () => undefined,
      slowFork: () => Promise.reject(new Error('there is none')),
    },
    candidates: [bomb],
    entrant: {},
  })
  assert.equal(results, [apartUnavailable])
  assert.equal(asked, [])
})
s.run()
