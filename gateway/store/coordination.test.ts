import { assert, suite } from '../../fixtures/test.ts'
import { createLocalCoordination } from './coordination.ts'

const s = suite('local coordination')
const { elect } = createLocalCoordination()

function stand() {
  const told: string[] = []
  const office = elect({
    name: 'x',
    won: (term) => told.push(`won ${term}`),
    lost: () => told.push(`lost, held: ${office.isHeld()}`),
  })
  return { office, told }
}

s('whoever stands is elected, and is told once when that ends', async () => {
  const { office, told } = stand()
  assert.ok(office.isHeld())
  await Promise.resolve()
  assert.equal(told, ['won 1'])
  await office.close()
  await office.close()
  assert.equal(told, ['won 1', 'lost, held: false'])
})

s('who leaves before the election is told nothing', async () => {
  const { office, told } = stand()
  await office.close()
  await Promise.resolve()
  assert.equal(told, [])
})
s.run()
