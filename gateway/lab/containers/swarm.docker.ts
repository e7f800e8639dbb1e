import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { keepBooksUnder } from './testing/askUnderFault.ts'
import { startLiveStack } from './testing/liveStack.ts'
import { startSwarmStack } from './testing/stack.ts'
import { whilePaused } from './testing/whilePaused.ts'

/** docker/compose.scale.yaml as `docker stack deploy` runs it, on a swarm of one node. */
const s = suite('swarm stack')
const run = promisify(execFile)
const patient = { deadlineMs: 240_000, everyMs: 250, why: () => stack.lastSeen() }
const stack = await startLiveStack({
  file: 'compose.scale.yaml',
  settings: { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '5000' },
  start: startSwarmStack,
})
const { docker, isQuoting, quote } = stack
s.after(() => stack.down())
const countGateways = async () => {
  const inspected = await Promise.all(
    (await stack.find('gateway')).map((id) => docker.getContainer(id).inspect()),
  )
  return inspected.filter(({ State }) => State.Health?.Status === 'healthy').length
}

s('serves with two gateways', async () => {
  await waitFor('it serves', stack.isServing, patient)
  await waitFor('both are healthy', async () => (await countGateways()) === 2, patient)
  await stack.createKey(100_000)
  await waitFor('it quotes', isQuoting, patient)
})

s('loses no charge when a replica is killed under load, and replaces it', async () => {
  const [victim = ''] = await stack.find('gateway')
  await keepBooksUnder(stack, () => stack.kill(victim))
  await waitFor(
    'there are two again',
    async () => (await countGateways()) === 2 && !(await stack.find('gateway')).includes(victim),
    patient,
  )
})

s('ends no gateway while PostgreSQL hangs, and serves again when it goes on', async () => {
  const before = await stack.find('gateway')
  const [postgres = ''] = await stack.find('postgres')
  const pausedAt = Date.now()
  // Three checks that fail in a row would be a gateway's end.
  const checksMeanwhile = async (id: string) => {
    const { State } = await docker.getContainer(id).inspect()
    const log = State.Health?.Log ?? []
    return log.filter(({ Start }) => Date.parse(Start) > pausedAt)
  }
  const areAllChecked = async () => {
    const checks = await Promise.all(before.map(checksMeanwhile))
    return checks.every(({ length }) => length >= 2)
  }
  await whilePaused(docker.getContainer(postgres), async () => {
    await waitFor('each is checked twice', areAllChecked, patient)
    for (const checks of await Promise.all(before.map(checksMeanwhile)))
      assert.ok(checks.every(({ ExitCode }) => ExitCode === 0))
    assert.not.ok(await isQuoting())
  })
  await waitFor('it quotes', isQuoting, patient)
  assert.equal([...(await stack.find('gateway'))].sort(), [...before].sort())
})

s('is updated one by one, and answers 19 of 20 or more meanwhile', async () => {
  const [container = ''] = await stack.find('gateway')
  const { Config } = await docker.getContainer(container).inspect()
  const service = Config.Labels['com.docker.swarm.service.name'] ?? ''
  const old = await stack.find('gateway')
  const update = run('docker', ['service', 'update', '--force', '--quiet', service])
  let isOver = false
  const answers: number[] = []
  async function ask() {
    while (!isOver) {
      const status = await quote().then(
        (answer) => answer.status,
        () => 0,
      )
      answers.push(status)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
  const asking = ask()
  await update.finally(() => {
    isOver = true
  })
  await asking
  assert.not.ok((await stack.find('gateway')).some((id) => old.includes(id)))
  const refused = answers.filter((status) => status !== 200).length
  assert.ok(answers.length > 10)
  assert.ok(refused <= answers.length / 20, `${refused} of ${answers.length} not answered`)
})
s.run()
