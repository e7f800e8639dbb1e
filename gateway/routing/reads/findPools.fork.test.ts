import type { Address } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { getChain, getDexes } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { familyOf } from '../protocols/families.ts'
import { readHead } from './readHead.ts'

const chainId = 42161
const world = await startWorldChain({ chainId })
const chain = getChain(chainId)
if (!chain) throw new Error('chain 42161 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
const head = await readHead(chainClient)
if (!head) throw new Error('the world has a head')

const s = suite('looking for pools of many tokens')
s.after(async () => {
  chainClient.close()
  await world.close()
})

/** More than one call could ever look up, all of them cold. */
const unknown = Array.from({ length: 1_500 }, (_, index) => {
  return `0x${(BigInt(index + 1) << 100n).toString(16).padStart(40, '0')}` as Address
})
const hubs = chain.hubTokens.slice(0, 2)
const [weth] = hubs

const families = new Map(getDexes(chainId).map((dex) => [dex.protocol, dex]))
for (const dex of families.values())
  s(`${dex.name} answers for any number of tokens`, async () => {
    const find = async (b: readonly Address[]) => {
      const question = { dex, a: [weth ?? '0x'] as Address[], b, blockNumber: head.number }
      const pools = await familyOf(dex).find(chainClient, question)
      return pools.map(({ id, address }) => (id ?? address).toLowerCase()).sort()
    }
    assert.equal(await find([...unknown, ...hubs]), await find(hubs))
  })

s.run()
