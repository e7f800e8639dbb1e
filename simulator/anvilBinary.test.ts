import { accessSync, constants } from 'node:fs'
import { basename } from 'node:path'
import { assert, suite } from '../fixtures/test.ts'
import { anvilBinary } from './anvilBinary.ts'

const s = suite('simulator/anvilBinary')

s('is a program of this platform that may be run, and no wrapper of it', () => {
  const binary = anvilBinary()
  accessSync(binary, constants.X_OK)
  assert.match(basename(binary), /^anvil(?:\.exe)?$/)
  assert.match(binary, process.platform)
})
s.run()
