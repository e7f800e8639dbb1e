import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import './app.ts'

/** The gateway of a lab: loads what it is made of while the chains start, and serves once it has its settings. */
await text(process.stdin)
// Where there are none, whoever was to write them is gone.
Object.assign(process.env, JSON.parse(readFileSync(process.env['LAB_SETTINGS'] ?? '', 'utf8')))
await import('./main.ts')
