import { parseAbi, toEventSelector, toFunctionSelector } from 'viem'
import { findByLookup } from '../sync/findPools.ts'
import { readCall, readCalls } from '../sync/readCalls.ts'
import { createAlgebraIntegralPool } from './algebraIntegral.ts'
import { createAlgebraV19Pool } from './algebraV19.ts'
import { concentratedFamily, toConcentratedState } from './concentratedChain.ts'
import { directionalFeeTopic, feeTopic } from './concentratedLogs.ts'
import { createdAt } from './createdAt.ts'
import type { PoolFamily } from './poolFamily.ts'

const poolTopic = toEventSelector('Pool(address,address,address)')
const feeAbi = parseAbi(['function fee() view returns (uint16)'])
const onePips = 1_000_000n
const integralGas = 4_000

const find: PoolFamily['find'] = (deps, parameters) =>
  findByLookup(deps, {
    ...parameters,
    selector: toFunctionSelector('poolByPair(address,address)'),
  })

/** Camelot v3: Algebra 1.9 with a fee per direction, each told by an event when it moves. */
export const camelotV3Family = concentratedFamily({
  protocol: 'camelot_v3',
  shape: 'algebraDirectional',
  find,
  topics: [directionalFeeTopic],
  creations: [createdAt(poolTopic, 0)],
  toEnginePool: (record) =>
    createAlgebraV19Pool({
      ...toConcentratedState(record),
      feeZtoPips: record.feePips,
      feeOtzPips: record.feePips1,
    }),
})

export const algebraIntegralFamily = concentratedFamily({
  protocol: 'algebra_integral',
  shape: 'algebraIntegral',
  find,
  topics: [feeTopic],
  creations: [createdAt(poolTopic, 0)],
  toEnginePool: (record) => createAlgebraIntegralPool(toConcentratedState(record)),
  extraGas: integralGas,
  /** A plugin may set the fee anew at any time; `fee()` asks it. */
  async refresh(deps, { records, blockNumber }) {
    const answers = await readCalls(deps, {
      calls: records.map(({ address }) => readCall(address, { abi: feeAbi, functionName: 'fee' })),
      blockNumber,
    })
    return new Map(
      records.flatMap(({ id }, index) => {
        const fee = answers[index]?.[0]
        if (fee === undefined || fee >= onePips) return []
        return [[id, { feePips: Number(fee), feePips1: Number(fee) }] as const]
      }),
    )
  },
})
