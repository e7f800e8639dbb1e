#!/usr/bin/env node
// Lets forge use npm's solc (WebAssembly): answers what forge asks of a native compiler.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) {
  process.stdout.write(
    `solc, the solidity compiler\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}\n`,
  )
} else if (process.argv.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('solc.js answers --version and --standard-json only\n')
  process.exitCode = 1
}
