import { toHex } from 'viem'
import type { RpcAnswer, RpcCall } from '../../chain/nodes/readReply.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import type { Fault, Play } from './fault.ts'

const weiPerGwei = 10n ** 9n

/** As after a claim or a deployment: what the last blocks held is gone with them. */
const reorganise: Play = async ({ next, settings: { blocks }, chains }) => {
  await next()
  await chains.each(async (chain) => void (await chain.request('anvil_reorg', [blocks, []])))
}

const pause: Play = async ({ next, settings: { ms }, chains, lasting }) => {
  await chains.each(async (chain) => {
    const { chainId } = chain
    await lasting.hold({ name: 'chain_paused', of: String(chainId), ms }, async () => {
      const mining = await readMining(chain)
      await setMining(chain, { isAutomatic: false, everySecs: 0 })
      return () =>
        chains.on(chainId, async (again) => {
          await setMining(again, mining)
          await again.mine()
        })
    })
  })
  await next()
}

type Mining = { readonly isAutomatic: boolean; readonly everySecs: number }

async function readMining({ request }: LeasedChain): Promise<Mining> {
  const everySecs = (await request('anvil_getIntervalMining')) as number | null
  return { isAutomatic: (await request('anvil_getAutomine')) as boolean, everySecs: everySecs ?? 0 }
}

async function setMining({ request }: LeasedChain, { isAutomatic, everySecs }: Mining) {
  if (everySecs > 0) await request('evm_setIntervalMining', [everySecs])
  else await request('evm_setAutomine', [isAutomatic])
}

const raiseFees: Play = async ({ next, settings: { gwei }, chains }) => {
  const before = new Map<number, bigint>()
  await chains.each(async (chain) => {
    before.set(chain.chainId, await readBaseFee(chain))
    await setBaseFee(chain, BigInt(gwei) * weiPerGwei)
  })
  try {
    await next()
  } finally {
    for (const [chainId, wei] of before) await chains.on(chainId, (chain) => setBaseFee(chain, wei))
  }
}

async function readBaseFee({ request }: LeasedChain): Promise<bigint> {
  const block = await request('eth_getBlockByNumber', ['latest', false])
  return BigInt((block as { readonly baseFeePerGas: string }).baseFeePerGas)
}

async function setBaseFee(chain: LeasedChain, wei: bigint) {
  await chain.request('anvil_setNextBlockBaseFeePerGas', [toHex(wei)])
  // `anvil_mine` would forget it.
  await chain.request('evm_mine')
}

const head: RpcCall = { method: 'eth_blockNumber', params: [] }
const headTags: readonly unknown[] = ['latest', 'pending']

/** The calls as of an earlier block: what names the head names that one. */
function asOf(params: unknown, block: string): unknown {
  if (headTags.includes(params)) return block
  if (Array.isArray(params)) return params.map((each) => asOf(each, block))
  if (typeof params !== 'object' || params === null) return params
  return Object.fromEntries(Object.entries(params).map(([key, each]) => [key, asOf(each, block)]))
}

const atRequest = { at: 'request' } as const

export const chainFaults: readonly Fault[] = [
  {
    ...atRequest,
    name: 'chain_reorg',
    sentence: 'Once the request is answered, so many blocks are replaced by empty ones',
    reads: ['blocks'],
    play: reorganise,
  },
  {
    ...atRequest,
    name: 'chain_paused',
    sentence: 'From the request on no block is made for ms, as while a sequencer pauses',
    reads: ['ms'],
    usual: { ms: 10_000 },
    play: pause,
  },
  {
    ...atRequest,
    name: 'chain_fee_spike',
    sentence: 'While the request is answered the base fee is so many gwei',
    reads: ['gwei'],
    play: raiseFees,
  },
  {
    at: 'node',
    name: 'node_down',
    sentence: "The gateway's request to its node fails",
    reads: [],
    send: async (_, calls) => ({
      answers: calls.map(() => undefined),
      trouble: { kind: 'network' },
    }),
  },
  {
    at: 'node',
    name: 'node_stale',
    sentence: "The gateway's request to its node is answered as of so many blocks ago",
    reads: ['blocks'],
    async send({ send, settings }, calls, options) {
      const { answers, trouble } = await send([head], options)
      const [answer] = answers
      if (!answer || 'error' in answer) return { answers: calls.map(() => undefined), trouble }
      const block = toHex(Math.max(0, Number(answer.result) - settings.blocks))
      const old = calls.map(({ method, params }) => ({ method, params: asOf(params, block) }))
      const reply = await send(old, options)
      const told = (each: RpcAnswer | undefined, index: number) =>
        each && 'result' in each && calls[index]?.method === head.method ? { result: block } : each
      return { ...reply, answers: reply.answers.map(told) }
    },
  },
]
