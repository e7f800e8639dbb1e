import {
  createClient,
  custom,
  encodeErrorResult,
  type Hex,
  pad,
  parseAbi,
  RpcRequestError,
} from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { createChainSimulator } from './simulateOnChain.ts'

/** Beside a node that is a table; `gates.fork.test.ts` asks a real one. */
const s = suite('relay/simulateOnChain')
const address = pad('0x01', { size: 20 })

/** What is made of a deployment that a node refuses with this. */
async function deployAt(error: { code: number; message: string; data?: Hex }) {
  const request = async ({ method, params }: { method: string; params: [{ to?: string }] }) => {
    if (method === 'eth_estimateGas') throw new RpcRequestError({ body: {}, url: 'node', error })
    // Whatever is read of contracts: a word, or three of the probe's.
    return method === 'eth_call' && !params[0].to ? pad('0x01', { size: 96 }) : pad('0x01')
  }
  const transport = custom({ request }, { retryCount: 0 })
  const client = { chainId: 1, client: createClient({ transport }) } as unknown as ChainClient
  const [factory, owner, tokenIn, relayer] = [address, address, address, address]
  const asked = { chainId: 1, factory, owner, tokenIn, relayer }
  return (await createChainSimulator([client]).simulateDeploy(asked)).deploy
}
const without = { status: 'reverted', reason: 'execution reverted without a reason' }

s('knows a revert by whatever words a node has for it [attack/deploy-words]', async () => {
  const errorName = 'Error'
  const abi = parseAbi(['error Error(string)'])
  const data = encodeErrorResult({ abi, errorName, args: ['exists'] })
  for (const [error, deploy] of [
    [
      { code: 3, message: 'execution reverted: exists', data },
      { ...without, reason: 'exists' },
    ],
    [{ code: -32000, message: 'execution reverted' }, without],
    [{ code: -32000, message: 'gas required exceeds allowance (30000000)' }, without],
  ] as const)
    assert.equal(await deployAt(error), deploy)
})
s("takes no failure of a node's for one, whatever its code [attack/deploy-words]", async () => {
  for (const [code, message] of [
    [3, 'Unknown block'],
    [-32000, 'header not found'],
  ] as const) {
    const failed = await deployAt({ code, message }).catch((error: unknown) => error)
    assert.instance(failed, Error)
  }
})
s.run()
