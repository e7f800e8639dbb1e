import type { Fault } from '../../../../fixtures/nodes/profile.ts'

/** What nodes do wrong now and then, beside what each profile has of its own. */
export const everyFault: readonly Fault[] = [
  { kind: 'staleNode', blocks: 3, share: 0.02 },
  { kind: 'emptyLogs', freshBlocks: 2, share: 0.03 },
  { kind: 'nullBlock', share: 0.01 },
  {
    kind: 'rpcError',
    code: -32000,
    message: 'header not found',
    methods: ['eth_call', 'eth_getLogs'],
    share: 0.01,
  },
  { kind: 'unknownHash', share: 0.02 },
  { kind: 'dropItem', share: 0.01 },
  { kind: 'reorder', share: 0.1 },
  { kind: 'html', status: 502, share: 0.005 },
  { kind: 'cutJson', share: 0.005 },
  { kind: 'reset', share: 0.005 },
  { kind: 'stall', ms: 3_000, share: 0.003 },
  { kind: 'drip', bytesPerSec: 20_000, share: 0.003 },
  { kind: 'slow', times: 5, share: 0.02 },
  { kind: 'headTwice', times: 10, every: 50 },
  { kind: 'headSkipped', share: 0.05 },
  { kind: 'headLate', share: 0.05 },
  { kind: 'dropSubscriptions', every: 120 },
  { kind: 'closeSocket', code: 1006, every: 200 },
]

/** Where a block has so many logs that most of its bloom is set, nothing tells of one that is missing. */
export const toldByBloom: readonly Fault[] = [
  { kind: 'missingLogs', count: 1, isToldByBloom: true, share: 0.02 },
]

/** Reorganisations of a run, one after the other. */
export const depths: readonly number[] = [1, 2, 4, 64, 7, 12, 24, 40]
