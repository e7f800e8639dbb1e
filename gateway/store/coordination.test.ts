import { assert, suite } from '../../fixtures/test.ts'
import { createLocalCoordination } from './coordination.ts'

const s = suite('local coordination')
const { elect } = createLocalCoordination()

function stand() {
  const told: string[] = []
  const leadership = elect({
    name: 'x',
    won: (term) => told.push(`won ${term}`),
    lost: () => told.push(`lost, held: ${leadership.isHeld()}`),
  })
  return { leadership, told }
}

s('whoever stands is elected, and is told once when that ends', async () => {
  const { leadership, told } = stand()
  assert.ok(leadership.isHeld())
  await Promise.resolve()
  assert.equal(told, ['won 1'])
  await leadership.close()
  await leadership.close()
  assert.equal(told, ['won 1', 'lost, held: false'])
})

s('who leaves before the election is told nothing', async () => {
  const { leadership, told } = stand()
  await leadership.close()
  await Promise.resolve()
  assert.equal(told, [])
})
s.run()
