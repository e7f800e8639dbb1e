/**
 * Every family of a chain against its pools there: 10,000 random swaps of every size each, 500 of them
 * executed, while liquidity and fees move. Prints a table of the families, too.
 *
 * Usage: `node gateway/routing/protocols/families.proof.ts [--chain 42161] [--swaps 10000] [protocol…]`
 */
import { parseArgs } from 'node:util'
import { byLength, reportFigures } from '../../../fixtures/proof.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { chainSpecs } from '../../../fixtures/world/chains/chains.ts'
import { loadFamily, proveFamily } from '../testing/proveFamily.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'
import { timePricing } from '../testing/timePricing.ts'

const { values, positionals } = parseArgs({
  options: {
    chain: {
      type: 'string',
      multiple: true,
      default: chainSpecs.map(({ chainId }) => String(chainId)),
    },
    swaps: { type: 'string', default: byLength({ short: '200', long: '10000' }) },
  },
  allowPositionals: true,
})
const swaps = Number(values.swaps)
const print = (line: string) => process.stdout.write(`${line}\n`)

const s = suite('families against the chain, at length')
print(
  '| chain | family | forks | swaps compared | refused by both | exhausting | executed | differences | gas per hop | float64 ns | exact us |',
)
for (const chainId of values.chain.map(Number)) {
  const stand = await startSwapStand(chainId)
  s.after(() => stand.close())
  const protocols = [...new Set(stand.dexes.map(({ protocol }) => protocol))]
  for (const protocol of protocols) {
    if (positionals.length > 0 && !positionals.includes(protocol)) continue
    const dexes = stand.dexes.filter((dex) => dex.protocol === protocol)
    const deployed = dexes.filter(({ name }) =>
      stand.manifest.dexes.some((dex) => dex.name === name),
    )
    if (deployed.length === 0) continue
    s(`${protocol} on ${chainId}`, async () => {
      const timing = timePricing(await loadFamily(stand, protocol))
      const random = createRandom(chainId)
      const tally = await proveFamily(stand, {
        protocol,
        compare: swaps,
        execute: swaps / 20,
        random,
      })
      const gas = tally.gas.toSorted((one, other) => one - other)[tally.gas.length >> 1]
      const { compared, refused, exhausted, executed, differences } = tally
      const counts = [compared, refused, exhausted, executed, differences.length, gas]
      const times = [timing.floatNs.toFixed(0), timing.exactUs.toFixed(1)]
      const names = dexes.map(({ name }) => name).join(', ')
      print(`| ${[chainId, protocol, names, ...counts, ...times].join(' | ')} |`)
      reportFigures(`${protocol} on ${chainId} against its pools`, {
        compared,
        'refused by both': refused,
        exhausting: exhausted,
        executed,
        different: differences.length,
        'gas per hop': gas ?? 0,
      })
      assert.equal(differences, [])
      assert.ok(compared >= swaps && executed >= swaps / 20)
    })
  }
}
s.run()
