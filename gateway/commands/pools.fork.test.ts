import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { base } from '../chain/base.ts'
import { getDexes, seedTokens } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { createChainSync } from '../routing/sync/chainSync.ts'
import type { SyncEvent } from '../routing/sync/syncEvent.ts'
import { openStore } from '../store/openStore.ts'

const s = suite('forkyard pools')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-pools-'))
const [one, other, file] = ['one.sqlite', 'other.sqlite', 'base.pools'].map((name) =>
  join(dir, name),
)
if (!one || !other || !file) throw new Error('three names')
const world = await startWorldChain({ chainId: base.chainId })
const chainClient = createChainClient({ chain: base, rpcUrls: [world.rpcUrl] })
s.after(async () => {
  chainClient.close()
  await world.close()
  rmSync(dir, { recursive: true, force: true })
})

async function forkyard(path: string, ...args: readonly string[]) {
  const cli = join(import.meta.dirname, '..', 'cli.ts')
  const env = { PATH: process.env['PATH'], DATABASE_PATH: path }
  const child = spawn(process.execPath, [cli, 'pools', ...args], { env })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const [code] = await once(child, 'close')
  return { code, said }
}

/** What a gateway on this database does at its start. */
async function startOn(path: string) {
  const store = openStore({ path })
  const events: SyncEvent[] = []
  const sync = createChainSync({
    chainClient,
    dexes: getDexes(base.chainId),
    seedTokens: seedTokens(base.chainId),
    snapshots: store.pools,
    observe: (event) => events.push(event),
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  try {
    await sync.start()
    const { event } = events.find((each) => 'pools' in each) ?? {}
    return { event, ids: [...(sync.current()?.pools.keys() ?? [])].sort() }
  } finally {
    await sync.close()
    store.close()
  }
}

s(
  'gives a new gateway the pools of another, however old they are [nodes/pools-file] [24/log-pools]',
  async () => {
    const loaded = await startOn(one)
    assert.is(loaded.event, 'loaded')
    const exported = await forkyard(one, 'export', file, '--chain', 'base')
    assert.equal([exported.code, exported.said.includes(`${loaded.ids.length} pools`)], [0, true])
    await createRpc(world.rpcUrl)('anvil_mine', '0x200')
    const imported = await forkyard(other, 'import', file)
    assert.is(imported.code, 0, imported.said)
    const store = openStore({ path: other })
    const rows = await store.operatorLog.list(9).finally(() => store.close())
    assert.equal(
      rows.map(({ command, subject, phase }) => `${command} ${subject} ${phase}`),
      ['pools import base done', 'pools import base begun'],
    )
    const pools = new RegExp(`"after":{"block":"\\d+","pools":${loaded.ids.length}}`)
    assert.match(rows[0]?.detail ?? '', pools)
    assert.equal(await startOn(other), { ...loaded, event: 'restored' })
  },
)

s('leaves pools of a later block as they are [nodes/pools-file]', async () => {
  const { code, said } = await forkyard(other, 'import', file)
  assert.is(code, 1)
  assert.match(said, /kept as of block \d+ already/)
})
s.run()
