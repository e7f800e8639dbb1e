import { startRelayScene } from '../../fixtures/relay/relayScene.ts'
import { assert, suite } from '../../fixtures/test.ts'

/** A machine whose clock was wrong when a gateway started. */
const s = suite('relay clock')
const scene = await startRelayScene('clock')
const { chainId, rpc, setUp, newOwner, ask, newPath } = scene
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const limits = { maxDeploysPerHour: 1 }

/** The clock that is right: the chain's. */
async function chainMs(): Promise<number> {
  const block = (await rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
  return Number(block.timestamp) * 1_000
}

s(
  'one that was a day ahead holds nobody up for longer than the hour of its caps [18/clock-was-ahead]',
  async () => {
    const path = newPath()
    const nowMs = await chainMs()
    let clockMs = nowMs + dayMs
    const ahead = await setUp({ path, limits, now: () => clockMs })
    assert.is((await ask(ahead.stand, await newOwner())).status, 200)
    await ahead.close()
    clockMs = nowMs
    const { stand } = await setUp({ path, limits, now: () => clockMs })
    assert.is((await ask(stand, await newOwner())).status, 429)
    const [told] = stand.events.filter(({ kind }) => kind === 'clock_ahead')
    assert.is(told?.kind === 'clock_ahead' && told.who, 'book')
    clockMs = nowMs + hourMs - 1
    assert.is((await ask(stand, await newOwner())).status, 429)
    clockMs = nowMs + hourMs
    assert.is((await ask(stand, await newOwner())).status, 200)
  },
)

s('one that is a day ahead of the chain at a start opens no window [18/clock-ahead]', async () => {
  const path = newPath()
  const nowMs = await chainMs()
  const right = await setUp({ path, limits, now: () => nowMs })
  assert.is((await ask(right.stand, await newOwner())).status, 200)
  await right.close()
  let clockMs = nowMs + dayMs
  const { stand } = await setUp({ path, limits, now: () => clockMs })
  assert.is((await ask(stand, await newOwner())).status, 429)
  const [told] = stand.events.filter(({ kind }) => kind === 'clock_ahead')
  assert.is(told?.kind === 'clock_ahead' && told.who, 'machine')
  clockMs += hourMs
  assert.is((await ask(stand, await newOwner())).status, 200)
})

s(
  'is set back by the operator, beside a running gateway, and what was reserved still counts [18/clock-reset]',
  async () => {
    const path = newPath()
    const nowMs = await chainMs()
    let clockMs = nowMs + dayMs
    const ahead = await setUp({ path, limits, now: () => clockMs })
    assert.is((await ask(ahead.stand, await newOwner())).status, 200)
    await ahead.close()
    clockMs = nowMs
    const { stand } = await setUp({ path, limits, now: () => clockMs })
    assert.is((await ask(stand, await newOwner())).status, 429)
    assert.is(await stand.store.relay.resetClock({ chainId, nowMs }), nowMs)
    assert.is((await ask(stand, await newOwner())).status, 429)
    assert.is(await stand.store.relay.readClock(chainId), nowMs)
    clockMs = nowMs + hourMs
    assert.is((await ask(stand, await newOwner())).status, 200)
    assert.is(await stand.store.relay.readClock(chainId), nowMs + hourMs)
  },
)
s.after(scene.close)
s.run()
