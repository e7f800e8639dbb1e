import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { fleetHeld, readMemory } from './memory.ts'

const s = suite('bench/model/memory')
const rows = readFileSync(join(import.meta.dirname, '../../../docs/scale.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
const toNumber = (cell = '') => Number(cell.replaceAll(',', ''))

/** Gateways that a fleet has by the tables, for so many quotes a second of so many chains. */
function gatewaysOf(chains: string | undefined, asked: 'in turn' | 'by question') {
  const fleets = rows.filter((cells) => cells.length === 9 && cells[2] === chains)
  return fleets.map((cells) => toNumber(cells[asked === 'in turn' ? 3 : 4]?.split(' and ')[0]))
}

s('is what docs/scale.md says of each fleet [24/scale-memory]', () => {
  const told = rows.filter((cells) => cells.length === 7 && /^\d+$/.test(cells[1] ?? ''))
  const ofMemory = told.filter((cells) => / \/ .* \/ /.test(cells[4] ?? ''))
  assert.equal(
    ofMemory.map(([, chains]) => chains),
    ['2', '10'],
  )
  for (const [, chains, alive, resident, ...fleets] of ofMemory) {
    const { aliveMb, residentMb } = readMemory({ ...fleetHeld, chains: toNumber(chains) })
    assert.equal([toNumber(alive), toNumber(resident)], [aliveMb, residentMb])
    for (const [at, asked] of (['in turn', 'by question'] as const).entries())
      assert.equal(
        fleets[at]?.split(' / ').map(toNumber),
        gatewaysOf(chains, asked).map((gateways) => Math.round((gateways * residentMb) / 1_000)),
      )
  }
})
s('reproduces what was alive in an hour of mixed traffic, within 20 % [24/scale-memory]', () => {
  // proof:soak of 28 November 2026: no chains but the offline worlds, which every lab has.
  const soak = { chains: 2, pools: 0, tokens: 0, streams: 1_000, callers: 53 }
  const { aliveMb } = readMemory(soak)
  for (const measured of [144.8, 146.9])
    assert.ok(Math.abs(aliveMb / measured - 1) < 0.2, `${aliveMb} instead of ${measured}`)
})
s.run()
