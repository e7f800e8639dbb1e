import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  pad,
  parseAbi,
} from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import { createFindSettlers } from './findSettlers.ts'

const s = suite('meta/findSettlers')
const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])
const registryAbi = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function prev(uint128) view returns (address)',
])
const [current, before] = ['0xa1', '0xb2'].map((end) => pad(end as Hex, { size: 20 })) as [
  Address,
  Address,
]

s(
  'are the one that takers call now, and the one before, asked for once a minute [17/settlers-found]',
  async () => {
    let [ms, isAway, isPaused, asked] = [0, true, false, 0]
    let hanging: PromiseWithResolvers<void> | undefined
    const request = async ({ params }: { params: readonly [{ data: Hex }] }) => {
      asked += 1
      await hanging?.promise
      if (isAway) throw new Error('the node is away')
      const { args } = decodeFunctionData({ abi: multicall, data: params[0].data })
      const result = args[0].map(({ target, callData }) => {
        assert.is(target, '0x00000000000004533Fe15556B1E086BB1A72cEae')
        const { functionName, args } = decodeFunctionData({ abi: registryAbi, data: callData })
        assert.equal(args, [2n])
        const success = !(isPaused && functionName === 'ownerOf')
        const returnData = pad(functionName === 'ownerOf' ? current : before)
        return { success, returnData: success ? returnData : ('0x' as const) }
      })
      return encodeFunctionResult({ abi: multicall, functionName: 'aggregate3', result })
    }
    const chain = getChain(8453)
    const find = createFindSettlers({
      clientOf: (chainId) =>
        chainId === 8453 ? ({ client: { request }, chain } as unknown as ChainClient) : undefined,
      now: () => ms,
    })
    const ask = (chainId = 8453) => find({ chainId })
    assert.is(await ask(), undefined)
    assert.is(await ask(1), undefined)
    isAway = false
    assert.equal(await ask(), [current, before])
    ms = 59_999
    isPaused = true
    assert.equal([await ask(), asked], [[current, before], 2])
    ms = 60_000
    isAway = true
    assert.equal([await ask(), asked], [[current, before], 3])
    isAway = false
    assert.equal([await ask(), asked], [[before], 4])
    // A node that hangs has nobody wait for it, and is asked once.
    ms = 120_000
    isPaused = false
    hanging = Promise.withResolvers()
    assert.equal(await Promise.all([ask(), ask()]), [[before], [before]])
    assert.is(asked, 5)
    hanging.resolve()
    assert.equal([await ask(), asked], [[current, before], 5])
  },
)

s.run()
