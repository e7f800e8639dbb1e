import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = import.meta.dirname

export function readSource(path: string) {
  return readFileSync(
    path.startsWith('solady/')
      ? join(root, '../node_modules/solady/src', path.slice('solady/'.length))
      : join(root, path),
    'utf8',
  )
}

/** Where an import of a source leads; relative ones from the source's own folder. */
function resolveImport(from: string, path: string) {
  return path.startsWith('.') ? join(from, '..', path) : path
}

/** Sources by the names under which the compiler knows them, with everything that they import. */
function readSources(paths: readonly string[]): Record<string, { content: string }> {
  const sources: Record<string, { content: string }> = {}
  const add = (path: string) => {
    if (sources[path]) return
    const content = readSource(path)
    sources[path] = { content }
    for (const [, imported = ''] of content.matchAll(/^import\s[^;]*?"([^"]+)";/gm))
      add(resolveImport(path, imported))
  }
  for (const path of paths) add(path)
  return sources
}

/**
 * All that solc needs to make our bytecode, in its Standard JSON format: what explorers take to verify a
 * contract's source. The settings are foundry.toml's.
 */
export function standardInput() {
  return {
    language: 'Solidity',
    sources: readSources(globSync('src/**/*.sol', { cwd: root }).sort()),
    settings: {
      optimizer: { enabled: true, runs: 10_000 },
      evmVersion: 'cancun',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: {
        '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
      },
    },
  }
}
