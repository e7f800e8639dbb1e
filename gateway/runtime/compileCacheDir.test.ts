import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { compileCacheDir } from './compileCacheDir.ts'

const s = suite('where compiled modules are kept')
const folder = mkdtempSync(join(tmpdir(), 'forkyard-cache-'))
const before = process.env['FORKYARD_CACHE_DIR']
process.env['FORKYARD_CACHE_DIR'] = folder
const dir = join(folder, 'node')
s.after(() => {
  if (before === undefined) delete process.env['FORKYARD_CACHE_DIR']
  else process.env['FORKYARD_CACHE_DIR'] = before
  rmSync(folder, { recursive: true })
})

s('is nowhere that somebody else may write to [17/compiled-modules]', () => {
  assert.is(compileCacheDir(), dir)
  mkdirSync(dir)
  for (const [mode, expected] of [
    [0o755, dir],
    [0o775, dir],
    [0o757, undefined],
    [0o777, undefined],
    [0o1777, undefined],
  ] as const) {
    chmodSync(dir, mode)
    assert.is(compileCacheDir(), expected, mode.toString(8))
  }
  chmodSync(dir, 0o755)
  assert.is(compileCacheDir((process.getuid?.() ?? 0) + 1), undefined)
})
s.run()
