import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { writePack } from '../../../simulator/pack/packFile.ts'
import { createLab } from '../../client/lab.ts'
import { createService } from '../../http/service.ts'
import { createLog } from '../../observe/log.ts'
import { folderEndpoints } from './folderEndpoints.ts'

const s = suite('what stands in the folders of a lab')
const folder = mkdtempSync(join(tmpdir(), 'forkyard-folder-'))
const files = {
  gatewayLog: join(folder, 'gateway.log'),
  supervisorLog: join(folder, 'supervisor.log'),
}
const log = createLog({ level: 'silent', secrets: [] })
const ownPack = join(folder, 'own.of-the-lab')
const now = () => 1_700_000_600_000
const endpoints = folderEndpoints({ files, folder, ownPack, now })
const service = createService({ name: 'ops', endpoints, log, checkOutput: true })
const listening = await service.listen()
s.after(async () => {
  await listening.close()
  rmSync(folder, { recursive: true })
})
const lab = createLab({ services: { ops: listening.url }, adminToken: '' })

s(
  'tells the last lines of the logs that are there, bounded and without URLs [lab/logs]',
  async () => {
    assert.equal(await lab.logs(), { logs: [] })
    writeFileSync(files.gatewayLog, 'one\ntwo\nasked https://node.example/v2/a-key for it\n')
    const { logs } = await lab.logs({ lines: 2 })
    assert.equal(logs, [{ name: 'gateway.log', lines: ['two', 'asked [url] for it'] }])
    // More than is ever read: its first whole line is one of the long ones.
    const long = `${'x'.repeat(2 ** 20)}\n`
    for (let left = 6; left > 0; left -= 1) appendFileSync(files.gatewayLog, long)
    const [huge] = (await lab.logs({ lines: 500 })).logs
    assert.equal(
      huge?.lines.map(({ length }) => length),
      [2_000, 2_000, 2_000],
    )
  },
)

s('tells of its own pack and those beside, and why one can not be used [lab/packs]', async () => {
  writeFileSync(join(folder, 'broken.pack'), 'no pack')
  const block = { blockNumber: 7n, blockHash: `0x${'12'.repeat(32)}` } as const
  const chain = { chainId: 8453, ...block, timestampSecs: 1_700_000_000n, answers: new Map() }
  await writePack(ownPack, [{ ...chain, isFrozen: true }])
  const [own, broken, ...none] = (await lab.packs()).packs
  assert.equal(none, [])
  const { bytes, ...rest } = own ?? { bytes: 0 }
  assert.ok(bytes > 50)
  assert.equal(rest, {
    isOfLab: true,
    path: ownPack,
    chains: [
      {
        chainId: 8453,
        blockNumber: 7,
        blockHash: block.blockHash,
        age: '10 minutes old',
        isFrozen: true,
        answers: 0,
      },
    ],
  })
  assert.is(broken?.isOfLab, false)
  assert.match(broken?.refusal ?? '', 'is no usable pack: it is no compressed text')
  rmSync(ownPack)
  assert.is((await lab.packs()).packs[0]?.refusal, 'it is gone')
})
s.run()
