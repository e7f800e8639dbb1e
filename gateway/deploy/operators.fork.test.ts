import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { writeKeystore } from '../../fixtures/deploy/writeKeystore.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { takePort } from '../lab/ports.ts'

/** docs/operators.md, line by line, by a shell, on a fork of a chain that has DEXes and nothing of ours but pools. */
const s = suite('the operators page')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-operators-'))
const world = await startWorldChain({ chainId: 8453 })
s.after(async () => {
  await world.close()
  rmSync(dir, { recursive: true })
})

const page = readFileSync(join(import.meta.dirname, '../../docs/operators.md'), 'utf8')
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)

/** A command on the shell's path that is one program of ours. */
function addCommand(name: string, line: string) {
  const path = join(dir, name)
  writeFileSync(path, `#!/bin/sh\nexec ${line} "$@"\n`)
  chmodSync(path, 0o755)
}

/** Runs a script as a group of processes that ends with it, or in time, whatever it left in the background. */
async function runScript(script: string, env: NodeJS.ProcessEnv) {
  const mostMs = 270_000
  const child = spawn('bash', ['-eu', '-c', script], {
    cwd: dir,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  const timer = setTimeout(end, mostMs)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  if (code !== null) end()
  await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

s(
  'leads from nothing to a quote that was verified on the chain [deploy/operators-page]',
  async () => {
    const privateKey = generatePrivateKey()
    writeKeystore(dir, privateKey)
    addCommand('forkyard', `${process.execPath} ${join(import.meta.dirname, '..', 'cli.ts')}`)
    const [anvil, routing, meta, relay, ops] = await Promise.all(
      ['anvil', 'routing', 'meta', 'relay', 'ops'].map((name) => takePort({ name, port: 0 })),
    )
    // The page's words, but for the reader's own node and the ports, of which this machine may have used some.
    const script = blocks
      .join('')
      .replace('https://your-node.example', world.rpcUrl)
      .replaceAll('8545', String(anvil))
      .replaceAll('8080', String(routing))
      .replaceAll('8090', String(ops))
    const { code, output } = await runScript(script, {
      PATH: `${dir}:${process.env['PATH']}`,
      NO_COLOR: '1',
      ROUTING_PORT: String(routing),
      META_PORT: String(meta),
      RELAY_PORT: String(relay),
      OPS_PORT: String(ops),
    })
    assert.is(code, 0, output)
    // Readiness and the quote are printed one after the other, without a line's end.
    const [text = '', plans = ''] = output
      .slice(output.lastIndexOf('}{') + 1)
      .split(/(?<=\})(?=partner is made)/)
    const quote = JSON.parse(text) as Record<string, unknown>
    assert.is(quote['route_readiness'], 'verified', output)
    assert.match(output, /SwapExecutor +0x\w+ +ok/)
    assert.match(String((quote['execution'] as { target: string }).target), /^0x/)
    assert.match(plans, 'partner is removed')
    assert.not.match(output, privateKey.slice(2))
  },
)
s.run()
