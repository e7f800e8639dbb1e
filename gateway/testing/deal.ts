import { type Address, type Hex, isHex, toHex, zeroAddress } from 'viem'
import { fundingTolerance, fundingWord, slotKey } from '../../simulator/balanceSlot/balanceSlot.ts'
import { createSlotResolver } from '../../simulator/balanceSlot/resolveBalanceSlot.ts'
import { createFindWhales } from '../../simulator/findWhales.ts'
import { balanceOfCall } from '../../simulator/rpc/callShapes.ts'
import { readWordOutcome } from '../../simulator/rpc/readSimulated.ts'
import { createRpcEndpoint } from '../../simulator/rpc/rpcBatch.ts'
import { createUpstream } from '../../simulator/upstream.ts'
import type { Request } from './sendAs.ts'
import { sendAs } from './sendAs.ts'

/** Makes the balance of `to` be `amount`, of the native currency for the zero address. */
export type Deal = (token: Address, to: Address, amount: bigint) => Promise<void>

const timeoutMs = 10_000

/**
 * By the token's own storage, which is found as simulations find it; where no word of it shows as the
 * balance, by a transfer from somebody who holds much. Throws when neither does it.
 */
export function createDeal(
  { request }: { readonly request: Request },
  { chainId, rpcUrl }: { readonly chainId: number; readonly rpcUrl: string },
): { readonly deal: Deal; close(): Promise<void> } {
  const rpc = createRpcEndpoint({ url: rpcUrl })
  const upstream = createUpstream({ chainId, urls: [rpcUrl] })
  const slots = createSlotResolver({}, { chainId })
  const findWhales = createFindWhales({ upstream }, { chainId })

  async function balanceOf(token: Address, holder: Address): Promise<bigint> {
    const call = { method: 'eth_call', params: [balanceOfCall(token, holder), 'latest'] }
    const [outcome] = await rpc.batch([call], { timeoutMs })
    const balance = readWordOutcome(outcome)
    if (balance === undefined) throw new Error(`${token} tells no balance`)
    return balance
  }

  async function setWord(token: Address, to: Address, amount: bigint): Promise<boolean> {
    const timeSecs = BigInt(Math.floor(Date.now() / 1000))
    const verdict = await slots.resolve({ rpc, timeoutMs, token, holder: to, timeSecs })
    if (verdict.status !== 'found') return false
    const { slot } = verdict
    const key = slotKey(slot, to)
    const current = await request('eth_getStorageAt', [slot.contract, key, 'latest'])
    if (!isHex(current)) return false
    const set = (word: Hex) => request('anvil_setStorageAt', [slot.contract, key, word])
    const word = fundingWord(slot, { amount, current })
    if (word === undefined) return false
    await set(word)
    const balance = await balanceOf(token, to)
    if (balance >= amount && balance <= amount + fundingTolerance(slot)) return true
    await set(current)
    return false
  }

  async function takeFromWhale(token: Address, to: Address, amount: bigint) {
    const before = await balanceOf(token, to)
    const { blockNumber } = await upstream.readHead()
    const missing = amount - before
    const whales = missing > 0n ? await findWhales({ rpc, token, blockNumber }) : []
    const whale = whales.find(({ holder, balance }) => balance >= missing && holder !== to)
    if (!whale) throw new Error(`no way was found to deal ${amount} of ${token}`)
    const data = `0xa9059cbb${to.slice(2).padStart(64, '0')}${toHex(missing, { size: 32 }).slice(2)}`
    await sendAs({ request }, { from: whale.holder, to: token, data: data as Hex })
    const after = await balanceOf(token, to)
    if (after !== amount) throw new Error(`${token} dealt ${after} where ${amount} was asked`)
  }

  return {
    async deal(token, to, amount) {
      if (token === zeroAddress) await request('anvil_setBalance', [to, toHex(amount)])
      else if (!(await setWord(token, to, amount))) await takeFromWhale(token, to, amount)
    },
    async close() {
      await Promise.all([rpc.close(), upstream.close()])
    },
  }
}
