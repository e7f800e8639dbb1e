import { type Address, type Hex, keccak256, slice, toHex } from 'viem'
import type { LeasedChain } from '../../testing/leaseChain.ts'

/** Has a token take a tax on each transfer, whatever it is made of. */
export async function taxToken(
  { request, mine }: LeasedChain,
  { token, bps }: { readonly token: Address; readonly bps: number },
) {
  const code = await request('eth_getCode', [token, 'latest'])
  const untaxed = slice(keccak256(token), 12)
  await request('anvil_setCode', [untaxed, code])
  await request('anvil_setCode', [token, taxingCode(untaxed, bps)])
  await mine()
  return {
    async restore(chain: LeasedChain) {
      await chain.request('anvil_setCode', [token, code])
      await chain.mine()
    },
  }
}

/**
 * Hands each call to the code at `untaxed`, in its own storage. Of `transfer` and `transferFrom` it makes two:
 * one of the tax, to 0x…dead, and one of the rest.
 */
function taxingCode(untaxed: Address, bps: number): Hex {
  const copyCall = '365f5f37'
  const copyAnswer = '3d5f5f3e'
  const handOn = `5f5f365f73${untaxed.slice(2)}5af4`
  const [toOnward, toFailure] = ['606757', '608e57']
  const parts = [
    copyCall,
    // Where the amount stands: at 0x24 of transfer, 0x44 of transferFrom, 0 of anything else.
    `5f3560e01c8063a9059cbb14602402906323b872dd1460440217 8015${toOnward}`,
    `803561${toHex(bps, { size: 2 }).slice(2)}02612710900480 15${toOnward}`,
    `808252 61dead826020900352 ${handOn}15${toFailure}`,
    `${copyCall}8135039052`,
    `5b ${handOn}15${toFailure} ${copyAnswer}3d5ff3`,
    `5b ${copyAnswer}3d5ffd`,
  ]
  return `0x${parts.join('').replaceAll(' ', '')}`
}
