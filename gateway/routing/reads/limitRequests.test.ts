import { createClient, custom, zeroAddress } from 'viem'
import { getBalance } from 'viem/actions'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import { limitRequests } from './limitRequests.ts'

const s = suite('requests under way')

s('never has more under way than allowed, and gives up none when some fail', async () => {
  const chain = getChain(8453)
  if (!chain) throw new Error('chain 8453 is built in')
  let asked = 0
  let underWay = 0
  let most = 0
  const request = async () => {
    asked += 1
    const isBad = asked % 3 === 0
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay -= 1
    if (isBad) throw new Error('no')
    return '0x7'
  }
  const client = createClient({
    chain: toViemChain(chain),
    transport: custom({ request }, { retryCount: 0 }),
  })
  const limited = limitRequests(client, 4)
  const ask = (block: number) =>
    getBalance(limited, { address: zeroAddress, blockNumber: BigInt(block) })
  const answers = await Promise.allSettled(Array.from({ length: 30 }, (_, block) => ask(block)))
  assert.is(asked, 30)
  assert.is(most, 4)
  assert.is(answers.filter(({ status }) => status === 'fulfilled').length, 20)
  assert.is(await ask(30), 7n)
})

s.run()
