import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { printTable } from '../../observe/printTable.ts'
import { tellCounts } from './testing/countCallers.ts'
import { countUnder } from './testing/countUnder.ts'
import { type LiveStack, startLiveStack } from './testing/liveStack.ts'
import { startStack, startSwarmStack } from './testing/stack.ts'
import {
  composeScale,
  replaceAtOnce,
  replaceOneByOne,
  updateService,
} from './testing/updateStack.ts'

/**
 * docker/compose.scale.yaml under load, replaced again and again: by Compose one by one and all
 * at once, by a swarm one by one. Needs the images (`make docker-images`).
 *
 * Usage: `npm run -s proof:updates [rounds]`, each of which replaces three gateways of Compose, two of a swarm.
 */
const rounds = Number(process.argv[2] ?? 2)
const s = suite('updates under load')
const patient = { deadlineMs: 240_000, everyMs: 250 }
const table: string[][] = []
s.after(() => {
  const head = [
    'update',
    'gateways replaced',
    'kept connections',
    'new ones',
    'answered and booked',
  ]
  printTable((text) => process.stdout.write(text), { head, rows: table })
})

async function startServing(start: typeof startStack, args: readonly string[] = []) {
  const stack = await startLiveStack({
    file: 'compose.scale.yaml',
    args,
    settings: { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '5000' },
    start,
  })
  await waitFor('it serves', stack.isServing, { ...patient, why: stack.lastSeen })
  const apiKey = await stack.createKey(10_000_000)
  await waitFor('it quotes', stack.isQuoting, { ...patient, why: stack.lastSeen })
  return { stack, apiKey }
}

async function repeat(
  name: string,
  { stack, apiKey }: { readonly stack: LiveStack; readonly apiKey: string },
  update: (round: number) => Promise<void>,
) {
  const replaced = rounds * (await stack.find('gateway')).length
  const { kinds, answered } = await countUnder(stack, {
    apiKey,
    async update() {
      for (let round = 0; round < rounds; round += 1) await update(round)
    },
  })
  // countUnder has compared it with what was booked.
  const told = kinds.map(({ counts }) => tellCounts(counts))
  table.push([name, `${replaced}`, ...told, `${answered}`])
  return new Set(kinds.flatMap(({ counts }) => [...counts.keys()]))
}

s('by Compose', async () => {
  const live = await startServing(startStack, composeScale)
  try {
    // A setting that changes nothing for the callers, and is another one each time.
    const setting = (from: number) => (round: number) => ({ FREE_QUOTA: `${from + round}` })
    const oneByOne = await repeat('compose, one by one', live, (round) =>
      replaceOneByOne(live.stack, setting(100)(round)),
    )
    assert.equal([...oneByOne], [200])
    const atOnce = await repeat('compose, at once', live, (round) =>
      replaceAtOnce(live.stack, setting(1_000)(round)),
    )
    for (const status of atOnce)
      assert.ok([200, 502, 503, 504].includes(Number(status)), `${status}`)
  } finally {
    await live.stack.down()
  }
})

s('by a swarm', async () => {
  const live = await startServing(startSwarmStack)
  try {
    assert.equal([...(await repeat('swarm', live, () => updateService(live.stack)))], [200])
  } finally {
    await live.stack.down()
  }
})
s.run()
