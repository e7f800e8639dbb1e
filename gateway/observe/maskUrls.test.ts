import { assert, suite } from '../../fixtures/test.ts'
import { maskUrls } from './maskUrls.ts'

const s = suite('observe/maskUrls')
for (const [text, masked] of [
  ['asked https://node.example/v2/key?x=1 in vain', 'asked [url] in vain'],
  ['HTTPS://node.example/KEY, WSS://node.example/KEY', '[url] [url]'],
  ["at postgres://me:it's(me)@host/books", 'at [url]'],
  ['at redis://:p)w@host and unix:///run/socket', 'at [url] and [url]'],
  ['{"reason":"at postgresql://me:p@host/x","id":7}', '{"reason":"at [url]","id":7}'],
  ['nothing://of/ours', 'nothing://of/ours'],
] as const)
  s(`says "${masked}" [attack/mask-urls]`, () => {
    assert.is(maskUrls(text), masked)
  })
s.run()
