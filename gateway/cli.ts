#!/usr/bin/env node
import module from 'node:module'
import { guardOutput } from './observe/guardOutput.ts'
import { maskUrls } from './observe/maskUrls.ts'
import { toReason } from './observe/toReason.ts'
import { createProgram } from './program.ts'
import { compileCacheDir } from './runtime/compileCacheDir.ts'

// What was compiled for one command is there for the next. Node 20 has no such cache.
const compiled = compileCacheDir()
if (compiled) module.enableCompileCache?.(compiled)

const [, , name] = process.argv
// A gateway's own process knows its secrets as well.
if (name !== 'start') guardOutput(maskUrls)
// `forkyard config | head`: who reads no further has what he wants. A gateway whose log nobody takes has failed, and
// whoever looks after it starts it again.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(name === 'start' ? 1 : 0)
})
const program = await createProgram((text) => void process.stdout.write(text), name)

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`forkyard: ${toReason(error)}\n`)
  process.exit(1)
}
