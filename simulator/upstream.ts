import { type Hex, hexToBigInt, isHex } from 'viem'
import { createRpcEndpoint, type RpcOutcome } from './rpcBatch.ts'

export type BlockId = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly timestampSecs: bigint
}

/** What the fork management itself asks the chain for. */
export type Upstream = {
  readonly readHead: (p: { timeoutMs: number }) => Promise<BlockId>
  readonly readBlock: (p: {
    blockNumber: bigint
    timeoutMs: number
  }) => Promise<BlockId | undefined>
  readonly readChainId: (p: { timeoutMs: number }) => Promise<number>
  readonly close: () => Promise<void>
}

export function createUpstream({ url }: { url: string }): Upstream {
  const rpc = createRpcEndpoint({ url })
  const ask = async (method: string, params: readonly unknown[], timeoutMs: number) => {
    const [outcome] = await rpc.batch([{ method, params }], {
      timeoutMs,
      maxBytes: 4 * 1024 * 1024,
    })
    return outcome
  }
  return {
    async readHead({ timeoutMs }) {
      const block = readBlockId(await ask('eth_getBlockByNumber', ['latest', false], timeoutMs))
      if (!block) throw new Error('the chain has no head')
      return block
    },
    async readBlock({ blockNumber, timeoutMs }) {
      const tag = `0x${blockNumber.toString(16)}`
      return readBlockId(await ask('eth_getBlockByNumber', [tag, false], timeoutMs))
    },
    async readChainId({ timeoutMs }) {
      const outcome = await ask('eth_chainId', [], timeoutMs)
      if (!outcome?.ok || !isHex(outcome.result)) throw new Error('the chain states no id')
      return Number(outcome.result)
    },
    close: rpc.close,
  }
}

function readBlockId(outcome: RpcOutcome | undefined): BlockId | undefined {
  if (!outcome?.ok) throw new Error('the chain does not answer')
  if (outcome.result === null || typeof outcome.result !== 'object') return undefined
  const { number, hash, timestamp } = outcome.result as Record<string, unknown>
  if (!isHex(number) || !isHex(hash) || !isHex(timestamp)) throw new Error('the block is garbled')
  return {
    blockNumber: hexToBigInt(number),
    blockHash: hash,
    timestampSecs: hexToBigInt(timestamp),
  }
}
