import { concat, type Hex, pad, toHex } from 'viem'
import type { HotAccount } from './hotSet.ts'
import type { RpcCall, RpcEndpoint } from './rpc/rpcBatch.ts'
import type { ForkDoor } from './upstreamRelay.ts'

/** A warm start is worth this much of a wait to who has no other fork; what is not there by then comes in behind it. */
const usualWaitMs = 250
/** A fork that follows its chain is gone long before. */
const longestMs = 60_000

/**
 * Makes a fresh fork fetch the hot set at once: one batch of calls, each with code in the account's
 * place that loads its slots. (A batch of plain storage reads would run one after the other.) It is listened to
 * until it is over, however late: a fork goes on with what nobody waits for, and its reads are no caller's.
 */
export async function warmFork(
  rpc: RpcEndpoint,
  {
    accounts,
    waitMs = usualWaitMs,
    warmed,
  }: {
    readonly accounts: readonly HotAccount[]
    readonly waitMs?: number | undefined
    readonly warmed: ForkDoor['warmed']
  },
): Promise<void> {
  if (accounts.length === 0) return warmed()
  let isOver = false
  const end = () => {
    isOver = true
    warmed()
  }
  // One that failed leaves a cold fork, which is slower and no worse.
  const warming = rpc.batch(accounts.map(loadCall), { timeoutMs: longestMs }).then(end, end)
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([warming, patience])
  clearTimeout(timer)
  if (!isOver) warmed(accounts)
}

function loadCall({ address, slots }: HotAccount): RpcCall {
  const loads = slots.map((slot): Hex => `0x7f${pad(slot, { size: 32 }).slice(2)}5450`)
  const call = { to: address, gas: toHex(5_000_000), data: '0x' }
  return {
    method: 'eth_call',
    // Of no hex at all viem's concat makes bytes.
    params: [call, 'latest', { [address]: { code: concat([...loads, '0x00']) } }],
  }
}
