import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert, suite } from '../../../fixtures/test.ts'

const s = suite('golden')
const command = fileURLToPath(new URL('../golden.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'golden-'))

const pair = {
  protocol: 'Camelot v2 pair getAmountOut',
  columns: ['zeroForOne', 'amountIn', 'amountOut'],
  cases: [
    {
      stable: false,
      decimals0: 18,
      decimals1: 6,
      reserve0: '1000000000000000000000000',
      reserve1: '1300000000887',
      token0FeePercent: 300,
      token1FeePercent: 300,
      feeDenominator: 100000,
      quotes: [
        [true, '155612176977587236', '201688'],
        [false, '4621261', '3544139141999637747'],
      ],
    },
  ],
}

function price(
  name: string,
  files: Record<string, object>,
): Promise<{ code: number; out: string }> {
  const directory = join(folder, name)
  mkdirSync(directory)
  for (const [file, content] of Object.entries(files))
    writeFileSync(join(directory, file), JSON.stringify(content))
  return new Promise((resolve) => {
    execFile(process.execPath, [command, directory], (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout }),
    )
  })
}

s('counts equal rows and lists families that nobody prices yet', async () => {
  const other = { ...pair, protocol: 'Some other exchange' }
  const { code, out } = await price('equal', { 'a.json': pair, 'b.json': other })
  assert.is(code, 0)
  assert.match(out, 'b.json: unsupported family (Some other exchange)')
  assert.ok(out.endsWith('2 equal, 0 different\n'))
})
s('exits with 1 and names the row that differs', async () => {
  const [first] = pair.cases
  const quotes = [
    [true, '155612176977587236', '201689'],
    [true, '155612176977587236', null],
    [false, '4621261', '3544139141999637747'],
  ]
  const wrong = { ...pair, cases: [{ ...first, quotes }] }
  const { code, out } = await price('different', { 'a.json': wrong })
  assert.is(code, 1)
  assert.match(out, 'case 0 row 0: expected 201689, got 201688')
  assert.match(out, 'case 0 row 1: expected a refusal, got 201688')
  assert.ok(out.endsWith('1 equal, 2 different\n'))
})
s.after(() => rmSync(folder, { recursive: true, force: true }))
s.run()
