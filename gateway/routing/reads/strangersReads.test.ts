import { createClient, custom, encodeFunctionResult, type Hex, numberToHex } from 'viem'
import { probeLens } from '../../../contracts/artifacts.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { readAtBlock } from '../../chain/nodes/blockHashes.ts'
import { probePools, type SwapTrial } from './probePools.ts'
import { readParts } from './readParts.ts'

const s = suite('what a stranger makes a node refuse')
const addressOf = (n: number) => numberToHex(n, { size: 20 })

function createNode(answer: (data: Hex) => Hex | undefined) {
  const request = async ({ params: [{ data }] }: { params: [{ data: Hex }] }) => {
    const result = answer(data)
    if (result === undefined) throw new Error('execution timed out')
    return result
  }
  const transport = custom({ request: request as never }, { retryCount: 0 })
  return createClient({ chain: toViemChain(base), transport })
}

s('leaves what other pools of the route came to [17/probe-alone]', async () => {
  const worked = encodeFunctionResult({
    abi: probeLens.abi,
    functionName: 'probe',
    result: [1, 7n],
  })
  const client = createNode((data) => (data.includes('dead') ? undefined : worked))
  const trial: SwapTrial = {
    holders: [],
    tokenIn: addressOf(1),
    amountIn: 1n,
    executor: addressOf(2),
    least: 1n,
    data: '0x',
  }
  const trials = [trial, { ...trial, tokenIn: addressOf(0xdead) }, trial]
  const outcomes = await probePools({ client }, { trials, blockNumber: 1n, gasPriceWei: 0n })
  assert.equal(
    outcomes.map(({ verdict, paid }) => [verdict, paid]),
    [
      ['works', 7n],
      ['unknown', 0n],
      ['works', 7n],
    ],
  )
})

s('leaves the code of other parts, however many there are [17/many-parts]', async () => {
  const sizes: number[] = []
  const client = createNode((data) => {
    sizes.push((data.length - 2) / 64)
    // The code of a part is told by its address; one call fails.
    return data.endsWith('07d1')
      ? undefined
      : (data.replaceAll('0'.repeat(24), 'c'.repeat(24)) as Hex)
  })
  const addresses = Array.from({ length: 4_100 }, (_, index) => addressOf(index + 2))
  const parts = await readParts({ client }, { addresses, blockNumber: 1n })
  assert.equal(sizes, [2_000, 2_000, 100])
  const unread = [...parts.values()].filter(({ codeHash }) => codeHash === undefined)
  assert.is(unread.length, 2_000)
  assert.ok(parts.get(addressOf(4_101))?.codeHash)
})

s(
  'has nobody ask again for code that is known, whichever block is read [17/known-parts]',
  async () => {
    let asked = 0
    const client = createNode((data) => {
      asked += 1
      return data.replaceAll('0'.repeat(24), 'c'.repeat(24)) as Hex
    })
    for (const number of [1n, 2n]) {
      const hash = numberToHex(number, { size: 32 })
      const deps = { client: readAtBlock(client, { number, hash }) }
      const parts = await readParts(deps, { addresses: [addressOf(7)], blockNumber: number })
      assert.ok(parts.get(addressOf(7))?.codeHash)
    }
    assert.is(asked, 1)
  },
)
s.run()
