import { type Hex, toFunctionSelector, zeroAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createViewNode, fakeAddress, fakeDex } from '../testing/viewNode.ts'
import { findByLookup } from './findPools.ts'

const s = suite('look-ups of factories')
const [token0, token1, pool, other] = [1, 2, 3, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]

s('by few words where nobody waits for more: each two tokens once [teeth/finds]', async () => {
  const dex = fakeDex({ protocol: 'uniswap_v3' })
  const view = 'getPool(address,address,uint24)(address)'
  const { deps } = createViewNode([
    [dex.factory, view, [pool], [token0, token1, 500]],
    [dex.factory, view, [other], [token0, token1, 3_000]],
    [dex.factory, view, [zeroAddress], [token0, other, 500]],
    [dex.factory, view, [fakeAddress(9)], [token0, token0, 500]],
  ])
  const pools = await findByLookup(deps, {
    dex,
    a: [token0],
    b: [token0, token1, other],
    blockNumber: 7n,
    selector: toFunctionSelector('getPool(address,address,uint24)'),
    keys: [500, 3_000],
    isBrief: true,
  })
  assert.equal(
    pools.map(({ address }) => address.toLowerCase()),
    [pool, other],
  )
})

for (const [isThrifty, calls] of [
  [false, 4],
  [true, 2],
] as const)
  s(
    `take ${calls} calls of the lens where calls are ${isThrifty ? '' : 'not '}few [nodes/thrifty]`,
    async () => {
      let asked = 0
      const { deps } = createViewNode([], {
        findPools: () => {
          asked += 1
          return [[], []]
        },
      })
      const tokens = Array.from({ length: 100 }, (_, n) => fakeAddress(n + 1))
      await findByLookup(deps, {
        dex: fakeDex({ protocol: 'uniswap_v2' }),
        a: tokens,
        b: tokens,
        blockNumber: 7n,
        selector: toFunctionSelector('getPair(address,address)'),
        isThrifty,
      })
      assert.is(asked, calls)
    },
  )
s.run()
