import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { assert, suite } from '../fixtures/test.ts'

const s = suite('what things are called')
const root = join(import.meta.dirname, '..')
const files = globSync('{contracts,simulator,gateway,fixtures}/**/*.ts', {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
})
const dir = mkdtempSync(join(tmpdir(), 'forkyard-names-'))
s.after(() => rmSync(dir, { recursive: true }))
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
/** What a gateway or a lab runs. */
const product = files.filter(
  (file) =>
    /^(?:gateway|simulator)\//.test(file) &&
    !/\.(?:test|proof|docker|docker\.long)\.ts$|\/(?:bench|testing)\//.test(file),
)

s('a factory createX lives in x.ts, after what it makes [house/factories]', () => {
  const wrong = product.filter((file) => /^create[A-Z]/.test(basename(file)))
  assert.equal(wrong, [])
})

s('to refuse is what a gate of the relay does [house/refuse]', () => {
  const named = /(?:function|const|let) refuse(?!d)/
  assert.equal(
    product.filter((file) => named.test(textOf(file))),
    ['gateway/relay/gates.ts'],
  )
})

s('no branch is taken by the name of a family or provider: rows have fields [house/rows]', () => {
  const named =
    /\b(?:protocol|provider|slug)\)?\s*[!=]==\s*'[\w-]+'|'[\w-]+'\s*[!=]==\s*\w*\.?(?:protocol|provider|slug)\b/
  assert.equal(
    product.filter((file) => named.test(textOf(file))),
    [],
  )
  assert.ok(named.test("if (record.protocol === 'dodo_v2') return"))
})

s('no literal is spread where it stands, only to keep lines packed [house/spreads]', () => {
  cpSync(join(root, 'fixtures/runner/noPackedSpreads.grit'), join(dir, 'rule.grit'))
  writeFileSync(join(dir, 'biome.json'), JSON.stringify({ plugins: ['./rule.grit'] }))
  const lint = (line: string) => {
    writeFileSync(join(dir, 'line.ts'), `${line}\n`)
    return spawnSync(join(root, 'node_modules/.bin/biome'), ['lint', '.'], { cwd: dir }).status
  }
  assert.is(lint('export const a = (b: number) => ({ ...{ b, c: [b] }, d: b })'), 1)
  assert.is(lint('export const a = (b: number) => [...[b, 1], 2]'), 1)
  assert.is(
    lint('export const a = (b: number[]) => [...b, ...[1].map(String), ...(b[0] ? [2] : [])]'),
    0,
  )
  const { plugins } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
  assert.equal(plugins, ['./fixtures/runner/noPackedSpreads.grit'])
})

s('basis points of exact amounts are counted in one place [house/amounts]', () => {
  const counted = /[*/] \(?10_?000n\b/
  assert.equal(
    product.filter((file) => counted.test(textOf(file))).toSorted(),
    // The client imports nothing of the gateway; and the error of a power, as its contract bounds it.
    ['gateway/client/checkAnswers.ts', 'gateway/routing/protocols/maths/logExpMath.ts'],
  )
  assert.ok(counted.test('(amount * 9_950n) / 10_000n'))
})

s('isNative has one meaning [house/native]', () => {
  const defined = /(?:const|function) isNative\b/
  assert.equal(
    product.filter((file) => defined.test(textOf(file))),
    ['gateway/chain/native.ts'],
  )
})

s('the composition of the gateway fits on a screen [house/app]', () => {
  assert.ok(textOf('gateway/app.ts').split('\n').length <= 90)
})

s('every proof is a suite and has a short form [house/proofs]', () => {
  const proofs = files.filter((file) => file.endsWith('.proof.ts'))
  /** Of minutes, and the same at both lengths. */
  const alike = [
    'fixtures/package/packages.proof.ts',
    'fixtures/world/parts/compile.proof.ts',
    'gateway/meta/streamProxy.proof.ts',
  ]
  const wrong = proofs.filter((file) => {
    const text = textOf(file)
    const isShort = alike.includes(file) || /byLength\(|isShortProof/.test(text)
    return !isShort || !/\bsuite\(/.test(text)
  })
  assert.ok(proofs.length > 10)
  assert.equal(wrong, [])
})

s.run()
