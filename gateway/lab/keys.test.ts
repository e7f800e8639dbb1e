import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { createLabKeys } from './keys.ts'

const s = suite('keys of a lab')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
s.after(() => rmSync(dir, { recursive: true }))
let labs = 0
const keyOf = async (isRandom: boolean) => {
  labs += 1
  const databasePath = join(dir, `${labs}.sqlite`)
  const pepper = `pepper of lab ${labs}, at least as long as it must be`
  return (await createLabKeys({ databasePath, databaseUrl: undefined, pepper, isRandom })).apiKey
}

s('are the same in every lab, but where LAB_RANDOM_KEY asks for others [lab/keys]', async () => {
  const [fixed, again, random, other] = [
    await keyOf(false),
    await keyOf(false),
    await keyOf(true),
    await keyOf(true),
  ]
  assert.is(fixed, again)
  assert.is(new Set([fixed, random, other]).size, 3)
  for (const key of [fixed, random, other]) assert.match(key, /^fy_lab_/)
})
s.run()
