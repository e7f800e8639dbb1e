import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDebianProgram, passOver } from '../../../fixtures/debianPrograms.ts'
import { freePort } from '../../../fixtures/freePort.ts'
import { suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { findTestLab } from '../testing/testLab.ts'
import { ruleFiles } from './testing/ruleTests.ts'
import { createWatcher, patient } from './testing/watchedLab.ts'

/** A lab before a real Prometheus, which asks what the dashboard asks and evaluates every rule. */
const s = suite('lab/watched')
const prometheus = findDebianProgram('prometheus')

async function startPrometheus(program: string, { dir, ops }: { dir: string; ops: string }) {
  const port = await freePort()
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    scrape_configs: [{ job_name: 'gateway', static_configs: [{ targets: [new URL(ops).host] }] }],
  }
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config))
  const child: ChildProcess = spawn(
    program,
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor('Prometheus is ready', isReady, patient)
  return {
    url,
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

if (prometheus) {
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-watched-'))
  const lab = await findTestLab()
  const manifest = lab.manifest()
  const { url, stop } = await startPrometheus(prometheus, { dir, ops: manifest.services.ops })
  const watcher = createWatcher(url)
  s.after(async () => {
    await stop()
    await lab.down()
    rmSync(dir, { recursive: true })
  })

  s('has every rule evaluated over what a gateway tells [24/watched-rules]', async () => {
    await watcher.waitForScrape()
    await watcher.waitForRules()
  })
  s('has figures in every panel once there is traffic [24/watched-panels]', () =>
    watcher.fillPanels(manifest),
  )
} else s('needs Prometheus', () => passOver({ name: 'prometheus', debianPackage: 'prometheus' }))
s.run()
