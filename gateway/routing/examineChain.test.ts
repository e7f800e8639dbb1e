import { createMainnet } from '../../fixtures/nodes/mainnet/createMainnet.ts'
import { startNode } from '../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { createChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dex.ts'
import { examineChain } from './examineChain.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('a chain as it is first met')
const mainnet = createMainnet({ chainId: 8453, pools: 120, seed: 7 })
const [row] = base.dexes.filter(({ protocol }) => protocol === 'uniswap_v2')
if (!row) throw new Error('Base has a Uniswap v2')
const dex: Dex = row
const { router: _, ...routerless } = dex

async function examine(...dexes: readonly Dex[]) {
  await using node = await startNode({ profile: 'own-reth', upstream: mainnet, speed: 100 })
  const chainClient = createChainClient({ chain: base, rpcUrls: [node.url] })
  try {
    const { blockNumber, findings } = await examineChain(chainClient, { chain: base, dexes })
    assert.is(blockNumber, BigInt(mainnet.head().number))
    return findings.map(({ dex: name, check, verdict, found }) => ({
      at: `${name} ${check}`,
      verdict,
      found,
    }))
  } finally {
    chainClient.close()
  }
}

s(
  'says of each row whether its contracts are there, and its pools answer [teeth/examine]',
  async () => {
    const found = await examine(routerless)
    const of = (check: string) => found.find(({ at }) => at === `${dex.name} ${check}`)
    assert.equal([of('code')?.verdict, of('pools')?.verdict], ['right', 'right'])
    assert.match(of('code')?.found ?? '', /^\d contracts$/)
    assert.match(of('pools')?.found ?? '', /^(\d+) of \1 answer, deepest 0x[0-9a-f]{40}$/)
    // Nobody else trades its pairs, and this node runs no code.
    assert.equal([of('price')?.verdict, of('swap')?.verdict], ['unknown', 'unknown'])
    assert.match(of('swap')?.found ?? '', /^no swap could be tried/)
  },
)
s('names what is missing, and passes over rows of the offline world [teeth/examine]', async () => {
  const ghost = { ...routerless, name: 'ghost', factory: fakeAddress(1) }
  const blind = { ...dex, name: 'blind', router: fakeAddress(2) }
  const found = await examine(ghost, blind, { ...ghost, name: 'offline', isOptional: true })
  const told = found.map(({ at, verdict }) => [at, verdict].join(': '))
  assert.ok(
    told.includes('ghost code: missing') && told.includes('ghost pools: missing'),
    `${told}`,
  )
  assert.ok(told.includes('blind code: missing') && told.includes('blind pools: right'), `${told}`)
  assert.not(told.some((line) => line.startsWith('offline')))
  const [code] = found
  assert.is(code?.found, `no code at factory ${fakeAddress(1)}`)
  assert.ok(found.some(({ found: words }) => words === `no code at router ${fakeAddress(2)}`))
})
s.run()
