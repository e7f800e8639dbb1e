import { assert, suite } from '../../fixtures/test.ts'
import { revertTo } from './revertTo.ts'

const s = suite('revert to a snapshot')

/** A chain whose pool lets go of a mined transaction only after it was looked at so many times. */
function startPool({ looks, mined }: { looks: number; mined: boolean }) {
  const asked: string[] = []
  const request = async (method: string) => {
    asked.push(method)
    if (method === 'evm_revert') return true
    if (method === 'eth_getTransactionReceipt') return mined ? { status: '0x1' } : null
    const pools = asked.filter((name) => name === 'txpool_content').length
    return { pending: pools > looks ? {} : { '0xa': { 0: { hash: '0xb' } } } }
  }
  return { asked, request }
}

s('waits while the pool holds a mined transaction', async () => {
  const { asked, request } = startPool({ looks: 3, mined: true })
  assert.is(await revertTo({ request }, '0x1'), true)
  assert.is(asked.filter((name) => name === 'txpool_content').length, 4)
  assert.is(asked.at(-1), 'evm_revert')
})
s('does not wait for a transaction that is yet to be mined', async () => {
  const { asked, request } = startPool({ looks: Number.POSITIVE_INFINITY, mined: false })
  assert.is(await revertTo({ request }, '0x1'), true)
  assert.equal(asked, ['txpool_content', 'eth_getTransactionReceipt', 'evm_revert'])
})
s.run()
