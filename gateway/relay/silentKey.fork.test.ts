import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { openRelayerKey } from '../signing/openRelayerKey.ts'

/** The key service takes connections and never answers. */
const s = suite('relay with a silent key service')
const timeoutMs = 1_000
const chain = await startWorldChain({ chainId: 8453 })
let asked = 0
const silent = createServer(() => {
  asked += 1
})
silent.listen(0, '127.0.0.1')
await once(silent, 'listening')
const { port } = silent.address() as AddressInfo
const stand = await startRelayStand({
  chain,
  keyOf: (privateKey) => {
    const { publicKey } = privateKeyToAccount(privateKey)
    const source = { keyUrl: `http://127.0.0.1:${port}/`, publicKey }
    return openRelayerKey({ mode: 'live', chainId: 8453, source, timeoutMs })
  },
})
s.after(async () => {
  await stand.close()
  silent.closeAllConnections()
  silent.close()
  await chain.close()
})

s(
  'refuses ten requests within one time-out, and answers everybody else meanwhile [18/silent-key]',
  async () => {
    const owners = Array.from({ length: 10 }, (_, index) => ownerAt(index, 'silent'))
    await prepareOwners(chain, owners)
    await stand.get('/health')
    const startMs = performance.now()
    let isOver = false
    const answers = Promise.all(
      owners.map((owner) =>
        stand.post({ chainId: 8453, owner, tokenIn: lyingToken, amountIn: '1' }),
      ),
    ).finally(() => {
      isOver = true
    })
    const slowest = { ms: 0, count: 0 }
    while (!isOver) {
      const beforeMs = performance.now()
      assert.is((await stand.get('/api/intents')).status, 200)
      slowest.ms = Math.max(slowest.ms, performance.now() - beforeMs)
      slowest.count += 1
    }
    assert.equal(
      (await answers).map(({ status }) => status),
      owners.map(() => 503),
    )
    assert.ok(slowest.count > 1 && slowest.ms < timeoutMs, `${slowest.count} in ${slowest.ms} ms`)
    assert.ok(performance.now() - startMs < 10 * timeoutMs)
    assert.is(asked, 1, 'what did not answer is left alone')
    assert.equal(await stand.relay.history({}), [])
  },
)
s.run()
