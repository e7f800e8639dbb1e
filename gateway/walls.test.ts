import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { assert, suite } from '../fixtures/test.ts'

/** What the check must refuse: a file of one room, and what it may not import or use. */
const forbidden: readonly (readonly [file: string, line: string])[] = [
  ['gateway/relay/planted.ts', "import { quote } from '../routing/quote.ts'"],
  ['gateway/relay/wire/planted.ts', "import type { Quote } from '../../routing/finishQuote.ts'"],
  ['gateway/relay/planted2.ts', "import { createAccess } from '../access/access.ts'"],
  ['gateway/access/planted.ts', "import { gates } from '../relay/gates.ts'"],
  ['gateway/access/x402/planted.ts', "import { quote } from '../../routing/quote.ts'"],
  ['gateway/access/sale/planted.ts', "import { rank } from '../../meta/rank.ts'"],
  ['gateway/client/planted.ts', "import { chains } from '../chain/chains.ts'"],
  ['gateway/client/planted2.ts', "import { setTimeout } from 'node:timers/promises'"],
  ['gateway/console/page/planted.ts', "import { chains } from '../../chain/chains.ts'"],
  ['gateway/console/page/pages/planted.ts', "import { x } from '../../../ops/routes.ts'"],
  ['gateway/console/page/planted2.ts', "import { readFileSync } from 'node:fs'"],
  ['gateway/console/planted.ts', "import { quote } from '../routing/quote.ts'"],
  ['gateway/commands/planted.ts', "import { rpcGate } from '../lab/containers/rpcGate.ts'"],
  ['gateway/http/planted.ts', "import { createAccess } from '../access/access.ts'"],
  ['gateway/store/planted.ts', "import { quote } from '../routing/quote.ts'"],
  ['gateway/chain/planted.ts', "import { gates } from '../relay/gates.ts'"],
  ['gateway/signing/planted.ts', "import { gates } from '../relay/gates.ts'"],
  ['gateway/meta/planted.ts', "import { gates } from '../relay/gates.ts'"],
  ['gateway/meta/sources/planted.ts', "import { gates } from '../../relay/gates.ts'"],
  ['simulator/planted.ts', "import { chains } from '../gateway/chain/chains.ts'"],
  ['simulator/rpc/planted.ts', "import { world } from '../../fixtures/world.ts'"],
  ['gateway/routing/reads/planted.ts', "import { families } from '../protocols/families.ts'"],
  ['gateway/routing/threads/planted.ts', "import { quote } from '../quote.ts'"],
  ['gateway/routing/reads/planted2.ts', "import { quote } from '../quote.ts'"],
  ['gateway/routing/protocols/planted.ts', "import { x } from '../engine/market.ts'"],
  ['gateway/routing/protocols/planted2.ts', "import { x } from '../sync/discover.ts'"],
  ['gateway/routing/protocols/pair/plantedChain.ts', "import { x } from '../../sync/discover.ts'"],
  ['gateway/routing/protocols/pair/planted2Chain.ts', "import { x } from '../../quote.ts'"],
  ['gateway/routing/protocols/pair/planted.ts', "import { x } from '../../reads/readCalls.ts'"],
  ['gateway/routing/protocols/curve/planted.ts', "import { x } from '../poolRecord.ts'"],
  ['gateway/routing/protocols/maths/planted.ts', "import { x } from '../../../chain/chains.ts'"],
  ['gateway/routing/protocols/maths/planted2.ts', "import { call } from 'viem/actions'"],
  ['gateway/routing/protocols/maths/planted3.ts', "import type { Client } from 'viem'"],
  ['gateway/routing/protocols/maths/planted4.ts', 'export const at = Date.now()'],
  ['gateway/routing/engine/planted.ts', "import { x } from '../../chain/chains.ts'"],
  ['gateway/routing/engine/planted2.ts', "import { x } from '../protocols/families.ts'"],
  ['gateway/routing/engine/planted3.ts', "import { x } from '../protocols/pair/uniswapV2.ts'"],
  ['gateway/routing/engine/planted4.ts', "import { createClient } from 'viem'"],
  ['gateway/routing/engine/planted5.ts', 'export const at = performance.now()'],
  ['gateway/routing/engine/planted6.ts', "import { x } from '../sync/syncedState.ts'"],
  ['gateway/routing/sync/planted.ts', "import { quote } from '../quote.ts'"],
  ['gateway/routing/sync/planted2.ts', "import { x } from './shared/feedCodec.ts'"],
  ['gateway/routing/sync/shared/planted.ts', "import { quote } from '../../quote.ts'"],
  ['gateway/routing/planted.ts', "import { writeQuote } from './wire/writeQuote.ts'"],
  ['gateway/routing/planted2.ts', "import { rank } from '../meta/rank.ts'"],
  ['gateway/routing/planted3.ts', "export const later = import('../relay/gates.ts')"],
  ['gateway/routing/wire/planted.ts', "import { rank } from '../../meta/rank.ts'"],
  // Not even a type closes a circle.
  [
    'gateway/relay/circle.ts',
    "import type { other } from './otherHalf.ts'\nexport type half = other",
  ],
  [
    'gateway/relay/otherHalf.ts',
    "import type { half } from './circle.ts'\nexport type other = half",
  ],
]

/** Five by position, which are told by name instead. */
const positional = [
  'gateway/relay/positional.ts',
  'export const sum = (a = 1, b = 2, c = 3, d = 4, e = 5) => a + b + c + d + e',
] as const

/** The same rooms, and what they live on. */
const allowed: readonly (readonly [file: string, line: string])[] = [
  ['gateway/relay/good.ts', "export { endpoint } from '../http/endpoint.ts'"],
  ['gateway/access/good.ts', "export { openStore } from '../store/openStore.ts'"],
  ['gateway/meta/sources/good.ts', "export { quote } from '../../routing/quote.ts'"],
  ['gateway/routing/protocols/pair/goodChain.ts', "export { x } from '../../reads/readCalls.ts'"],
  ['gateway/routing/protocols/pair/good.ts', "export { x } from '../maths/curve.ts'"],
  ['gateway/routing/engine/good.ts', "export { x } from '../protocols/maths/curve.ts'"],
  ['gateway/routing/sync/good.ts', "export { x } from '../protocols/families.ts'"],
  ['gateway/routing/sync/shared/good.ts', "export { x } from '../chainSync.ts'"],
  ['gateway/routing/wire/good.ts', "export { quote } from '../quote.ts'"],
  ['gateway/console/page/good.ts', "export { createClient } from '../../client/client.ts'"],
  ['gateway/console/page/pages/good.ts', "export { x } from '../../../client/call.ts'"],
  ['gateway/console/good.ts', "export { httpError } from '../http/httpError.ts'"],
  ['gateway/client/good.ts', "export { x } from './call.ts'"],
  ['simulator/good.ts', "export { x } from '../contracts/artifacts.ts'"],
]

const s = suite('walls between rooms')
const root = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'forkyard-walls-'))
s.after(() => rmSync(copy, { recursive: true, force: true }))

/** Files that the project's own check refuses, in a folder that has its rules and nothing else. */
async function findRefused(): Promise<ReadonlySet<string>> {
  const config = readFileSync(join(root, 'biome.json'), 'utf8')
  // Plugins are files of their own, and none of them is a wall.
  const rules = JSON.parse(config, (key, value) => (key === 'plugins' ? undefined : value))
  writeFileSync(join(copy, 'biome.json'), JSON.stringify(rules))
  for (const [file, line] of [...forbidden, positional, ...allowed]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), `${line}\n`)
  }
  const biome = join(root, 'node_modules/.bin/biome')
  const only = [
    '--only=style/noRestrictedImports',
    '--only=style/noRestrictedGlobals',
    '--only=suspicious/noImportCycles',
    '--only=complexity/useMaxParams',
  ]
  const run = promisify(execFile)(
    biome,
    ['lint', '--reporter=json', '--max-diagnostics=none', '--vcs-enabled=false', ...only, '.'],
    { cwd: copy, maxBuffer: 1 << 26 },
  )
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { location: { path: string | { file: string } } }[]
  }
  return new Set(
    diagnostics.map(({ location: { path } }) => (typeof path === 'string' ? path : path.file)),
  )
}
const refused = await findRefused()

for (const [file, line] of forbidden)
  s(`refuses in ${file}: ${line.split('\n')[0]} [house/walls]`, () => {
    assert.ok(refused.has(file))
  })

s('refuses parameters of five and more by position [house/max-parameters]', () => {
  assert.ok(refused.has(positional[0]))
})

s('lets rooms have what they live on', () => {
  const wrongly = allowed.filter(([file]) => refused.has(file)).map(([file]) => file)
  assert.equal(wrongly, [])
})

s.run()
