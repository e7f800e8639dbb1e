import { assert, suite } from '../../fixtures/test.ts'
import { createFindProxy } from './findProxy.ts'

const s = suite('meta/findProxy')
const address = '0x2222222222222222222222222222222222222222'
const signal = new AbortController().signal

/** A chain 1 whose node has this code at every address, or fails. */
function open(code: string | Error) {
  const asked: string[] = []
  const warned: unknown[] = []
  const node = { code }
  const client = {
    async request({ method }: { readonly method: string }) {
      asked.push(method)
      if (node.code instanceof Error) throw node.code
      return method === 'eth_getCode' ? node.code : '0x10'
    },
  }
  const warn = (facts: object) => void warned.push(facts)
  const log = { debug() {}, info() {}, warn, error() {} }
  const clientOf = (chainId: number) => (chainId === 1 ? { client } : undefined) as never
  const find = createFindProxy({ clientOf, log })
  return { node, asked, warned, find: (chainId = 1) => find({ chainId, address, signal }) }
}

s(
  'remembers one that is deployed, since the block at which it was seen [teeth/find-proxy]',
  async () => {
    const { find, asked, node } = open('0x60')
    const found = { address, sinceBlock: 16n }
    assert.equal(await find(), found)
    node.code = '0x'
    assert.equal([await find(), asked.length], [found, 2])
  },
)
s('looks again for one that is not there yet [teeth/find-proxy]', async () => {
  const { find, node } = open('0x')
  assert.is(await find(), undefined)
  node.code = '0x60'
  assert.is((await find())?.address, address)
})
s(
  'knows none of a chain that is not served, or that cannot be asked [teeth/find-proxy]',
  async () => {
    const err = new Error('away')
    const { find, warned, asked } = open(err)
    assert.equal([await find(2), asked], [undefined, []])
    assert.equal([await find(), warned], [undefined, [{ err, chainId: 1 }]])
  },
)
s.run()
