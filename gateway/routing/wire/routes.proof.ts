/**
 * Random trades over all pools of a chain, quoted and executed: what arrives is what was quoted, to
 * the wei.
 *
 * Usage: `npm run proof:routes [-- --chain 42161 --routes 2000 --seed 1]`: slices with seeds of their own add up.
 */
import { parseArgs } from 'node:util'
import { byLength, reportFigures } from '../../../fixtures/proof.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { chainSpecs } from '../../../fixtures/world/chains/chains.ts'
import { proveRoutes, routeOn } from '../testing/proveRoutes.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'

const { values } = parseArgs({
  options: {
    chain: {
      type: 'string',
      multiple: true,
      default: chainSpecs.map(({ chainId }) => String(chainId)),
    },
    routes: { type: 'string', default: byLength({ short: '100', long: '2000' }) },
    seed: { type: 'string', default: '0' },
  },
})
const routes = Number(values.routes)

const s = suite('random routes, executed')
for (const chainId of values.chain.map(Number))
  s(`${routes} routes on ${chainId} deliver what was quoted`, async () => {
    const stand = await startSwapStand(chainId)
    const routing = await routeOn(stand)
    try {
      const tally = await proveRoutes(stand, {
        routing,
        count: routes,
        random: createRandom(chainId + Number(values.seed)),
      })
      const { executed, unrouted, split, native, steps, differences } = tally
      const families = [...steps].map(([name, count]) => `${name} ${count}`).join(', ')
      reportFigures(`random routes on ${chainId}, executed`, {
        executed,
        split,
        'with native currency': native,
        'without a route': unrouted,
        different: differences.length,
        steps: families,
      })
      assert.equal(differences, [])
      assert.ok(executed >= routes, `${executed}`)
    } finally {
      await routing.close()
      await stand.close()
    }
  })
s.run()
