import { createClient, custom } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import { gradeWhole } from './gradeWhole.ts'
import { createGasPrice, type RoutingChain } from './routingChain.ts'

const s = suite('what a chain is quoted with')
/** What has been asked of a node is answered by then. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

s(
  'has the gas price of ten seconds ago at most, and waits for none [teeth/gas-price]',
  async () => {
    const clock = { ms: 50 }
    const node = { asked: 0, priceWei: 7, isAway: false }
    const request = async () => {
      node.asked += 1
      if (node.isAway) throw new Error('the node is away')
      return `0x${node.priceWei.toString(16)}`
    }
    const client = createClient({
      chain: toViemChain(base),
      transport: custom({ request }, { retryCount: 0 }),
    })
    const price = createGasPrice({ chainClient: { client } as never, now: () => clock.ms })
    assert.is(price(), 0n, 'nothing is known before it is read')
    await settle()
    assert.equal([price(), price(), node.asked], [7n, 7n, 1])
    node.priceWei = 9
    clock.ms += 10_000
    assert.is(price(), 7n)
    await settle()
    assert.equal([price(), node.asked], [7n, 1])
    clock.ms += 1
    assert.is(price(), 7n, 'it is read beside')
    await settle()
    assert.equal([price(), node.asked], [9n, 2])
    node.isAway = true
    clock.ms += 10_001
    price()
    await settle()
    assert.equal([price(), node.asked], [9n, 3], 'the last one serves on')
  },
)

s('grades a pool by its worse way, for the worth of one coin [teeth/whole-grade]', () => {
  const { chain, market } = createGeneratedChain({ pools: 60, tokens: 6, seed: 1 })
  const state = chain.sync.current()
  if (!state) throw new Error('a generated chain is always read')
  const [weth = ''] = market.addresses
  const ofCoin = [...state.pools.values()].filter(({ tokens }) => tokens.includes(weth))
  const record = ofCoin.find((each) => (gradeWhole(chain, { state, record: each }) ?? 'F') < 'D')
  if (!record) throw new Error('it has deep pools of the native coin')
  const grade = (own: Partial<RoutingChain> = {}) =>
    gradeWhole({ ...chain, ...own }, { state, record })
  const order = [...'ABCDEF']
  const plain = order.indexOf(grade() ?? '')
  assert.ok(plain >= 0)
  const taxed = { ...chain.taxes, get: (token: string) => (token === record.tokens[1] ? 9_000 : 0) }
  assert.ok(order.indexOf(grade({ taxes: taxed }) ?? '') > plain, 'a tax of either token counts')
  const old = { ...chain.sync, lagMs: () => 3_600_000 }
  assert.ok(order.indexOf(grade({ sync: old }) ?? '') >= plain)
  // Where nobody can tell what a coin is worth there is no grade.
  assert.is(gradeWhole(chain, { state, record: { ...record, id: 'nobody' } }), undefined)
  const row = {
    ...chain.chainClient.chain,
    wrappedNative: '0x00000000000000000000000000000000000000aa',
  }
  const apart = { chainClient: { ...chain.chainClient, chain: row } } as Partial<RoutingChain>
  assert.is(grade(apart), undefined)
})
s.run()
