import { createHash } from 'node:crypto'
import { assert, suite } from '../../fixtures/test.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { migrations } from './migrations.ts'

const s = suite('store/migrations')

/** Those of releases that operators run. */
const landed = migrations.slice(0, 26)

s('are numbered in their order, without a gap', () => {
  assert.equal(
    migrations.map(({ id }) => id),
    Array.from(migrations, (_, index) => index + 1),
  )
})
s('need of an older gateway what they needed when they landed', () => {
  const needs = landed.map((migration) => migration.needs ?? migration.id)
  const ofOwn = Array.from({ length: 19 }, (_, index) => index + 1)
  assert.equal(needs, [...ofOwn, 19, 19, 19, 19, 19, 19, 19])
})
s('are never edited once they have landed: databases have them as they were', () => {
  const digestOf = (dialect: Dialect) => {
    const texts = landed.map(({ id, name, schema }) => `${id} ${name}\n${schema(dialect)}\n`)
    return createHash('sha256').update(texts.join('')).digest('hex')
  }
  assert.equal(
    [digestOf(sqliteDialect), digestOf(postgresDialect)],
    [
      '5153dceeaf237bea5cb81a9c86436df1bdc0ae00c3fb3e50df39088ca7457484',
      'eb7116266aba4f426199200e74a53a0a257da983270833b20f418cba979b31ca',
    ],
  )
})
s.run()
