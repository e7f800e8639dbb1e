import { assert, suite } from '../../../fixtures/test.ts'
import { type Costs, readCosts } from './costs.ts'
import { bench, measured } from './measured.ts'
import { type Fleet, runFleet } from './runFleet.ts'

const s = suite('runFleet')
const onlyWork: Costs = {
  requestMs: 1,
  gatewayTripMs: 0,
  databaseTripMs: 0,
  databaseRequestMs: 0,
  diskMs: 0,
  searchMs: 0,
  clientMs: 0,
}
const one: Fleet = {
  gateways: 1,
  machines: 'apart',
  cores: 1,
  databases: 1,
  chains: 1,
  blockEveryMs: 1e9,
  questions: 1,
  popularity: 'even',
  sharing: 'in turn',
  load: { kind: 'closed', clients: 10 },
}

s('a thread that always has work does as much as it can, and as fairly', () => {
  const { rps, p50Ms, gatewayShare } = runFleet(onlyWork, { fleet: one, forMs: 5_000 })
  assert.ok(Math.abs(rps - 1_000) < 5, `${rps}`)
  assert.ok(Math.abs(p50Ms - 10) < 1, `${p50Ms}`)
  assert.ok(gatewayShare > 0.999)
})
s('more threads than processors share them', () => {
  const together: Fleet = { ...one, gateways: 4, machines: 'together', cores: 2 }
  const { rps } = runFleet(onlyWork, { fleet: together, forMs: 5_000 })
  assert.ok(Math.abs(rps - 2_000) < 20, `${rps}`)
})
s('a block has each gateway search each question anew, once', () => {
  const costs = { ...onlyWork, requestMs: 0.1, searchMs: 5 }
  const fleet = { ...one, blockEveryMs: 1_000, questions: 20 }
  const { searched, rps } = runFleet(costs, { fleet, forMs: 10_000 })
  assert.ok(Math.abs(searched * rps - 20) < 1, `${searched * rps} a second`)
})
s('gateways that have questions of their own search each of them once', () => {
  const fleet: Fleet = { ...one, gateways: 4, blockEveryMs: 1_000, questions: 20 }
  const searches = (sharing: Fleet['sharing']) => {
    const { searched, rps } = runFleet(onlyWork, { fleet: { ...fleet, sharing }, forMs: 10_000 })
    return searched * rps
  }
  assert.ok(Math.abs(searches('by question') - 20) < 1)
  assert.ok(Math.abs(searches('in turn') - 80) < 4)
})
s('a trip to the database is shared by those that come meanwhile', () => {
  const costs = { ...onlyWork, requestMs: 0.01, diskMs: 10 }
  const fleet: Fleet = { ...one, load: { kind: 'closed', clients: 100 } }
  const { rps } = runFleet(costs, { fleet, forMs: 5_000 })
  // 100 who wait, 10 ms each time.
  assert.ok(rps > 7_000 && rps < 10_001, `${rps}`)
})
s('the same seed gives the same figures', () => {
  const fleet: Fleet = { ...one, load: { kind: 'open', perSecond: 500 } }
  const run = (seed: number) => runFleet(onlyWork, { fleet, forMs: 2_000, seed })
  assert.equal(run(1), run(1))
  assert.not.equal(run(1), run(2))
})
s('reproduces what one gateway and three were measured to do, within 20 % [24/model]', () => {
  const costs = readCosts(measured.one)
  for (const { gateways, rps } of measured.stacks) {
    const modelled = runFleet(costs, { fleet: bench(gateways), forMs: 10_000 }).rps
    assert.ok(Math.abs(modelled / rps - 1) < 0.2, `${gateways}: ${modelled} instead of ${rps}`)
  }
})
s.run()
