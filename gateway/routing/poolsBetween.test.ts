import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { poolsBetween } from './poolsBetween.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

const s = suite('routing/poolsBetween')
const [a, b, c] = ['0xA', '0xB', '0xC'] as const as readonly [Address, Address, Address]

s(
  'lists the pools of one exchange that hold both tokens and ask nobody strange [teeth/between]',
  () => {
    const pool = (address: string, dex: string, ...tokens: readonly string[]) =>
      [address, { address, dex, tokens } as unknown as PoolRecord] as const
    const pools = new Map([
      pool('1', 'd', '0xa', '0xb'),
      pool('2', 'd', '0xa', '0xc'),
      pool('3', 'e', '0xa', '0xb'),
      pool('4', 'd', '0xc', '0xb', '0xa'),
      pool('5', 'd', '0xa', '0xb'),
    ])
    const trust = { isKnown: ({ address }: { readonly address: string }) => address !== '5' }
    const find = (dex: string, ...tokens: readonly [Address, Address]) =>
      poolsBetween({ trust, state: { pools } as never }, { dex, tokens })
    assert.equal(
      [find('d', a, b), find('d', b, a), find('d', c, a)],
      [
        ['1', '4'],
        ['1', '4'],
        ['2', '4'],
      ],
    )
    assert.equal([find('e', a, b), find('e', a, c), find('f', a, b)], [['3'], [], []])
    // What they are grouped by is made once for a state.
    pools.delete('1')
    assert.equal(find('d', a, b), ['1', '4'])
  },
)
s.run()
