import type { Address } from 'viem'

/** Hooks of Uniswap v4 that are believed; routes through any other that acts on swaps are dry-run first. */
export type KnownHooks = {
  readonly name: string
  /** Where they were found, and when. */
  readonly source: string
  readonly date: string
  /** What an address lets its hook do stands in its lowest 14 bits. */
  readonly addresses: readonly Address[]
  /**
   * Fee and tick spacing that its launchpad opens pools with, as a rule: 0x800000 where the hook names the
   * fee. Not confirmed on the chain; a new pool with others is found by its event.
   */
  readonly keys: readonly (readonly [fee: number, tickSpacing: number])[]
}

const table = {
  source: 'github:KyberNetwork/kyberswap-dex-lib@ae6a99a',
  date: '2026-10',
} as const
const dynamicFee = 0x80_0000

export const uniswapV4Hooks = {
  base: [
    {
      ...table,
      name: 'Clanker, dynamic fee',
      addresses: [
        '0x34a45c6B61876d739400Bd71228CbcbD4F53E8cC',
        '0x9A82BfCf5fd939CB7256f2d41479Bc0DC67968cC',
      ],
      keys: [[dynamicFee, 200]],
    },
    {
      ...table,
      name: 'Clanker, static fee',
      addresses: [
        '0xDd5EeaFf7BD481AD55Db083062b13a3cdf0A68CC',
        '0xBF5ACAB339D2970938Ff4A2753d6cbbb8AaaE8cC',
      ],
      keys: [[dynamicFee, 200]],
    },
    {
      ...table,
      name: 'Zora',
      addresses: [
        '0xF6d0A13609bb5779Bc5D639F2bA3Bfda83D4D0C0',
        '0xC8d077444625eB300A427a6dfB2b1DBf9b159040',
      ],
      keys: [
        [10_000, 200],
        [30_000, 200],
      ],
    },
    {
      ...table,
      name: 'Doppler',
      addresses: [
        '0xBDF938149ac6a781F94FAa0ed45E6A0e984c6544',
        '0x892D3C2B4ABEAAF67d52A7B29783E2161B7CaD40',
      ],
      keys: [[10_000, 200]],
    },
    {
      ...table,
      name: 'Flaunch',
      addresses: [
        '0x51Bba15255406Cfe7099a42183302640ba7dAFDC',
        '0xF785bb58059FAB6fb19bDdA2CB9078d9E546Efdc',
      ],
      keys: [[0, 60]],
    },
  ],
  arbitrum: [
    {
      ...table,
      name: 'Clanker, dynamic fee',
      addresses: ['0xFd213BE7883db36e1049dC42f5BD6A0ec66B68cC'],
      keys: [[dynamicFee, 200]],
    },
    {
      ...table,
      name: 'Clanker, static fee',
      addresses: ['0xf7aC669593d2D9D01026Fa5B756DD5B4f7aAa8Cc'],
      keys: [[dynamicFee, 200]],
    },
  ],
} as const satisfies Readonly<Record<string, readonly KnownHooks[]>>
