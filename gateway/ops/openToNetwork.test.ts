import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { openToNetwork } from './openToNetwork.ts'

const s = suite('ops/openToNetwork')
const patient = { deadlineMs: 60_000 }
const warnings: string[] = []
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: object, message: string) => void warnings.push(message),
  error: () => undefined,
}
const listener = createServer((_, response) => response.end('metrics'))
await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
const { port } = listener.address() as AddressInfo
s.after(() => void listener.close())

const ask = (host: string) =>
  fetch(`http://${host}:${port}/`).then(
    (response) => response.text(),
    () => 'closed',
  )

s('is open at the address in the network, closed at every other, and after its end', async () => {
  const readAddresses = () => ['127.0.0.1', '127.77.0.5', '127.78.0.5']
  const door = await openToNetwork({ log, readAddresses }, { network: '127.77.0.0/24', port })
  assert.is(await ask('127.77.0.5'), 'metrics')
  assert.is(await ask('127.78.0.5'), 'closed')
  await door.close()
  assert.is(await ask('127.77.0.5'), 'closed')
  assert.is(await ask('127.0.0.1'), 'metrics')
})

s('follows the address: none at first, one, another', async () => {
  let address: string[] = []
  const readAddresses = () => address
  const network = { network: '127.79.0.0/24', port, everyMs: 5 }
  const door = await openToNetwork({ log, readAddresses }, network)
  assert.is(await ask('127.79.0.5'), 'closed')
  address = ['127.79.0.5']
  await waitFor('it is open', async () => (await ask('127.79.0.5')) === 'metrics', patient)
  address = ['127.79.0.6']
  await waitFor('the other is open', async () => (await ask('127.79.0.6')) === 'metrics', patient)
  assert.is(await ask('127.79.0.5'), 'closed')
  await door.close()
  assert.equal(warnings, [])
})
s.run()
