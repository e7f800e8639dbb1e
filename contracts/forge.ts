/**
 * Runs forge's own binary for npm's scripts and hands its verdict on.
 *
 * npm's forge launcher always exits 0, so red would look green; and forge must run inside this folder,
 * since the compiler's path in foundry.toml is relative to it.
 *
 * Usage: `node contracts/forge.ts check|test|proof|snapshot`.
 * `test` and `proof` end with `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as artifacts from './artifacts.ts'

const root = import.meta.dirname
const forge = createRequire(import.meta.url).resolve(
  `@foundry-rs/forge-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/forge`,
)

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawnSync(forge, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
  })
  if (child.error) throw child.error
  return { passed: child.status === 0, output: `${child.stdout}${child.stderr}` }
}

/** Runs the tests, prints what forge says, and last the counts. */
function test(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { passed, output } = run(['test', ...args], env)
  const counts = /(\d+) tests passed, (\d+) failed, (\d+) skipped \(\d+ total/.exec(output)
  const [ran, failed, skipped] = (counts?.slice(1) ?? ['0', '1', '0']).map(Number)
  process.stdout.write(`${output}\n`)
  const failures = (failed ?? 1) + (skipped ?? 0) || (passed && ran !== 0 ? 0 : 1)
  process.stdout.write(`${ran ?? 0} passed, ${failures} failed\n`)
  return failures === 0
}

/** Whether artifacts.ts holds what forge compiles from the same sources. */
function matchesForge() {
  return Object.entries(artifacts).every(([key, artifact]) => {
    const name = `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`
    const built: { bytecode: { object: string }; deployedBytecode: { object: string } } =
      JSON.parse(readFileSync(`${root}/out/${name}.sol/${name}.json`, 'utf8'))
    return (
      built.bytecode.object === artifact.bytecode &&
      built.deployedBytecode.object === artifact.deployedBytecode
    )
  })
}

/** Each step's name and verdict; all run, so that one look shows everything that is wrong. */
function check() {
  const steps: readonly (readonly [string, () => { passed: boolean; output: string }])[] = [
    ['format', () => run(['fmt', '--check'])],
    // Lint compiles without code generation: into folders of its own, or the next build would find no bytecode.
    [
      'lint',
      () =>
        run(['lint', '--deny', 'warnings'], {
          FOUNDRY_OUT: 'cache/lint',
          FOUNDRY_CACHE_PATH: 'cache/lint-cache',
        }),
    ],
    // Everything in one go: what a part of the tests needs would be compiled once more with the rest.
    ['build', () => run(['build'])],
    [
      'gas snapshots',
      () => run(['test', '--match-contract', 'GasTest'], { FORGE_SNAPSHOT_CHECK: 'true' }),
    ],
    [
      'bytecode equals forge',
      () => ({ passed: matchesForge(), output: 'contracts/artifacts.ts differs from forge build' }),
    ],
  ]
  const verdicts = steps.map(([name, step]) => {
    const { passed, output } = step()
    process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} contracts: ${name}\n`)
    if (!passed) process.stdout.write(`${output}\n`)
    return passed
  })
  return verdicts.every(Boolean)
}

const commands: Readonly<Record<string, () => boolean>> = {
  check,
  test: () => test([], {}),
  proof: () => test([], { FOUNDRY_PROFILE: 'proof' }),
  snapshot: () => test(['--match-contract', 'GasTest'], {}),
}
const command = commands[process.argv[2] ?? '']
if (!command) throw new Error(`usage: node contracts/forge.ts ${Object.keys(commands).join('|')}`)
process.exitCode = command() ? 0 : 1
