import { keccak256, toHex } from 'viem'
import { startAnvil } from '../../fixtures/anvil.ts'
import { createRpc } from '../../fixtures/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startFaultProxy } from '../../simulator/testing/faultProxy.ts'
import { startTestChain } from '../../simulator/testing/testChain.ts'
import { guardReads } from './guardReads.ts'

const s = suite('guarded reads')
const origin = await startTestChain()
// Without some way to go to the chain that is forked, reads are over before they could meet.
const far = await startFaultProxy({ target: origin.rpcUrl })
far.set({ delayMs: 5 })
const fork = await startAnvil({ args: ['--fork-url', far.url, '--no-storage-caching'] })
const chain = await guardReads({ anvilPort: fork.port, port: 0 })
s.after(async () => {
  await chain.close()
  await fork.close()
  await far.close()
  await origin.close()
})
const rpc = createRpc(chain.rpcUrl)
const account = '0x4200000000000000000000000000000000000006'

s('many reads of unread state at a past block leave the fork alive', async () => {
  const past = await rpc('eth_blockNumber')
  for (let mined = 0; mined < 3; mined += 1) await rpc('evm_mine')
  for (let round = 0; round < 10; round += 1)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        rpc('eth_getStorageAt', account, keccak256(toHex(round * 8 + index)), past),
      ),
    )
  assert.is(BigInt(String(await rpc('eth_blockNumber'))), BigInt(String(past)) + 3n)
})
s('passes on batches, errors and what is no JSON as they are', async () => {
  const post = async (rpcUrl: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
    return [answer.status, await answer.text()]
  }
  const call = { jsonrpc: '2.0', id: 7, method: 'eth_getBalance', params: [account, '0x0'] }
  for (const body of ['{', '[]', '{}', JSON.stringify([call, { ...call, method: 'eth_nonsense' }])])
    assert.equal(await post(chain.rpcUrl, body), await post(fork.rpcUrl, body))
})
s('passes on websockets', async () => {
  const socket = new WebSocket(chain.rpcUrl.replace('http', 'ws'))
  const answer = new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data))))
    socket.addEventListener('error', reject)
  })
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })),
  )
  assert.is(((await answer) as { id: number }).id, 1)
  socket.close()
})
s.run()
