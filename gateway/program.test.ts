import { assert, suite } from '../fixtures/test.ts'
import { createProgram } from './program.ts'

const s = suite('program')
const print = () => undefined
const namesOf = async (name?: string) =>
  (await createProgram(print, name)).commands.map((command) => command.name())

s('loads for each command those that come with it, and no others [cli/lazy]', async () => {
  const all = await namesOf()
  assert.ok(all.includes('lab') && all.includes('start'))
  for (const name of all) {
    const loaded = await namesOf(name)
    assert.ok(loaded.includes(name), name)
    assert.ok(loaded.length < 4, `${name}: ${loaded.join(' ')}`)
  }
})
s('has all commands for whoever names none of them', async () => {
  const all = await namesOf()
  assert.is(new Set(all).size, all.length)
  for (const name of ['--help', 'lab-upp', 'help', '']) assert.equal(await namesOf(name), all)
})
s.run()
