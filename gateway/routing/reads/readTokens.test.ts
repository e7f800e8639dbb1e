import { encodeAbiParameters, stringToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { parseSymbol } from './readTokens.ts'

const s = suite('token symbols')
const asString = (text: string) => encodeAbiParameters([{ type: 'string' }], [text])

s('reads strings and bytes32', () => {
  assert.is(parseSymbol(asString('USDC')), 'USDC')
  assert.is(parseSymbol(stringToHex('MKR', { size: 32 })), 'MKR')
})

s('keeps emoji, drops what cannot be seen or turns text around', () => {
  assert.is(parseSymbol(asString('🦄UNI')), '🦄UNI')
  assert.is(parseSymbol(asString('\u202eCDSU\u0000 \n')), 'CDSU')
})

s('makes nothing of nothing, and survives garbage', () => {
  for (const data of ['0x', '0x00', `0x${'00'.repeat(32)}`, `0x${'00'.repeat(64)}`] as const)
    assert.is(parseSymbol(data), '')
  assert.type(parseSymbol(`0x${'ff'.repeat(160)}`), 'string')
})

s('cuts what is too long, whatever its length claims to be', () => {
  const megabyte = asString('x'.repeat(1_000_000)).slice(0, 2 + 2 * 160) as `0x${string}`
  assert.is(parseSymbol(megabyte), 'x'.repeat(32))
  const lying = `0x${'20'.padStart(64, '0')}${'f'.repeat(64)}${'41'.repeat(32)}` as const
  assert.is(parseSymbol(lying), 'A'.repeat(32))
})

s.run()
