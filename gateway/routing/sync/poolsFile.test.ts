import { gunzipSync, gzipSync } from 'node:zlib'
import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { checkPools } from './checkPools.ts'
import { encodePool } from './poolCodec.ts'
import { readPoolsFile, writePoolsFile } from './poolsFile.ts'

const s = suite('a file of pools')
const [id, hash] = [numberToHex(1, { size: 20 }), numberToHex(2, { size: 32 })]
const record = { id, protocol: 'uniswap_v2', tokens: [], isFresh: [], reserve0: 5n }
const snapshot = {
  head: { number: 7n, hash, parentHash: hash, timestampSecs: 9n },
  pools: [{ id, state: encodePool(record as unknown as PoolRecord) }],
  // Anybody's text, also one that looks as numbers do elsewhere.
  tokens: [{ address: id, symbol: 'n:5', decimals: 18 }],
}
const bytes = writePoolsFile(8453, snapshot)
const alter = (from: string, to: string) => gzipSync(gunzipSync(bytes).toString().replace(from, to))

s('reads as it was written [nodes/pools-file-whole]', () => {
  assert.equal(readPoolsFile(bytes), { chainId: 8453, snapshot })
})

const spoilt: readonly (readonly [what: string, bytes: Buffer, says: RegExp])[] = [
  ['is something else', Buffer.from('pools'), /it is no file of pools/],
  ['is another JSON', gzipSync('{}'), /it is no file of pools/],
  ['is of another version', alter('"version":1', '"version":9'), /version 9\.\d+.*export it anew/],
  ['was cut or changed', alter('n:5', 'n:6'), /it is not whole/],
  [
    'has a pool that is none',
    writePoolsFile(8453, { ...snapshot, pools: [{ id, state: '{}' }] }),
    /does not read as one/,
  ],
]
for (const [what, content, says] of spoilt)
  s(`is refused where it ${what} [nodes/pools-file-whole]`, () => {
    assert.throws(() => checkPools(readPoolsFile(content).snapshot), says)
  })
s.run()
