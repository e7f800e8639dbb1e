import { createClient, custom, encodeFunctionResult } from 'viem'
import { poolLens } from '../../../contracts/artifacts.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { BlockOrphaned, isCausedBy, toViemChain } from '../../chain/client.ts'
import { askInParts } from './askInParts.ts'
import { askPairs } from './askPairs.ts'

/** A node that answers the lens' empty call as long as it is well. */
function createNode() {
  const node = { isWell: true, checks: 0 }
  const request = async () => {
    node.checks += 1
    if (!node.isWell) throw new Error('the node is down')
    return encodeFunctionResult({ abi: poolLens.abi, functionName: 'readCalls', result: [] })
  }
  const client = createClient({
    chain: toViemChain(base),
    transport: custom({ request }, { retryCount: 0 }),
  })
  return { node, client }
}
const blockNumber = 1n
const items = Array.from({ length: 100 }, (_, index) => index)

const s = suite('many questions at once')

s('halves a part that fails down to what makes it fail [strangers/halves]', async () => {
  const { client } = createNode()
  let asked = 0
  const ask = async (part: readonly number[]) => {
    asked += 1
    if (part.includes(37) || part.includes(90)) throw new Error('reverted')
    return part.map((item) => item * 2)
  }
  const answers = await askInParts({ client }, { items, size: 50, blockNumber, ask })
  assert.equal(
    answers,
    items.map((item) => (item === 37 || item === 90 ? undefined : item * 2)),
  )
  assert.ok(asked < 40)
})

s('asks on where the gas of a call was not enough [strangers/gas]', async () => {
  const { client } = createNode()
  const ask = async (part: readonly number[]) => part.slice(0, 7)
  assert.equal(await askInParts({ client }, { items, size: 50, blockNumber, ask }), items)
})

s('leaves out what a whole call is not enough for', async () => {
  const { client } = createNode()
  const ask = async (part: readonly number[]) => {
    const dear = part.indexOf(5)
    return dear < 0 ? part : part.slice(0, dear)
  }
  const answers = await askInParts({ client }, { items, size: 50, blockNumber, ask })
  assert.equal(
    answers,
    items.map((item) => (item === 5 ? undefined : item)),
  )
})

s('ends with a block that was orphaned, and asks nobody about it [nodes/orphan-ends]', async () => {
  const { client, node } = createNode()
  let asked = 0
  const ask = async () => {
    asked += 1
    throw new Error('wrapped', { cause: new BlockOrphaned(8453) })
  }
  const answers = askInParts({ client }, { items, size: 100, blockNumber, ask })
  const said = await answers.catch((error: unknown) => error)
  assert.ok(isCausedBy(said, BlockOrphaned))
  assert.equal([asked, node.checks], [1, 0])
})

s("fails with the node's own error, and blames nobody for it", async () => {
  const { client, node } = createNode()
  node.isWell = false
  let asked = 0
  const ask = async () => {
    asked += 1
    throw new Error('the node is down')
  }
  const failed = await askInParts({ client }, { items, size: 50, blockNumber, ask }).catch(String)
  assert.equal(failed, 'Error: the node is down')
  // A node that is down is not asked for every half.
  assert.is(asked, 2)
})

s('forgives a node that fails once', async () => {
  const { client } = createNode()
  let failures = 1
  const ask = async (part: readonly number[]) => {
    failures -= 1
    if (failures >= 0) throw new Error('busy')
    return part
  }
  assert.equal(await askInParts({ client }, { items: [1], size: 1, blockNumber, ask }), [1])
})

s('finds the pairs around one whose look-up is too dear', async () => {
  const { client } = createNode()
  const tokens = Array.from({ length: 10 }, (_, index) => `t${index}`)
  const ask = async ({ a, b }: { a: readonly string[]; b: readonly string[] }) => {
    if (a.includes('t3') && b.includes('t4')) throw new Error('out of gas')
    return a.flatMap((one) => b.map((other) => `${one}-${other}`))
  }
  const found = await askPairs({ client }, { a: tokens, b: tokens, size: 40, blockNumber, ask })
  assert.is(new Set(found).size, 99)
  assert.not(found.includes('t3-t4'))
})

s.run()
