import { type Hex, keccak256, numberToHex } from 'viem'
import { bloomOf } from '../../../fixtures/nodes/mainnet/bloom.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { readBloom } from './bloom.ts'

const s = suite('the bloom of a block')
const addressOf = (n: number) => keccak256(numberToHex(n)).slice(0, 42) as Hex
const wordOf = (n: number) => keccak256(numberToHex(n))
/** A block of so many logs, each of a contract and a trader of its own. */
const blockOf = (logs: number) =>
  Array.from({ length: logs }, (_, n) => ({
    address: addressOf(n),
    topics: [wordOf(1), wordOf(10_000 + n)],
  }))

s('has the addresses and topics of all its logs', () => {
  const logs = blockOf(200)
  const bloom = readBloom(bloomOf(logs))
  for (const { address, topics } of logs)
    assert.ok([address, ...topics].every((value) => bloom?.has(value)))
})

for (const logs of [0, 9, 150, 1_000])
  s(`says how many others it has by chance, with ${logs} logs in the block`, () => {
    const bloom = readBloom(bloomOf(blockOf(logs)))
    const strangers = Array.from({ length: 4_000 }, (_, n) => addressOf(1_000_000 + n))
    const share = strangers.filter((address) => bloom?.has(address)).length / strangers.length
    assert.ok(Math.abs(share - (bloom?.falseShare ?? 1)) < 0.03, `${share} ${bloom?.falseShare}`)
  })

s('says nothing where the node gives none, or something else', () => {
  assert.is(readBloom(undefined), undefined)
  assert.is(readBloom('0x00'), undefined)
})
s.run()
