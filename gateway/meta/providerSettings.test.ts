import { readFileSync } from 'node:fs'
import { assert, suite } from '../../fixtures/test.ts'
import { readProviderSettings } from './providerSettings.ts'
import { providers } from './sources/providers.ts'

const s = suite('meta/providerSettings')

s('reads a list of names, JSON with settings, and nothing [meta/settings]', () => {
  assert.equal(readProviderSettings(''), [])
  assert.equal(readProviderSettings('velora, kyberswap'), [
    { name: 'velora' },
    { name: 'kyberswap' },
  ])
  assert.equal(readProviderSettings('{"0x":{"key":"k","perSecond":5}}'), [
    { key: 'k', perSecond: 5, name: '0x' },
  ])
  const contract = '0x1111111111111111111111111111111111111111'
  assert.equal(
    readProviderSettings(
      `{"velora":{"enabled":false},"fabric":{"timeoutMs":900,"baseUrl":"https://f.example","contracts":{"42161":["${contract}"]}}}`,
    ),
    [
      {
        name: 'fabric',
        timeoutMs: 900,
        baseUrl: 'https://f.example',
        contracts: { 42161: [contract] },
      },
    ],
  )
})

s('takes the least and the most of each setting', () => {
  const settings = { timeoutMs: 100, perSecond: 1 }
  const most = { timeoutMs: 30_000 }
  assert.equal(readProviderSettings(JSON.stringify({ velora: settings, kyberswap: most })), [
    { ...settings, name: 'velora' },
    { ...most, name: 'kyberswap' },
  ])
})

const bad: [text: string, sentence: RegExp][] = [
  ['nobody', /there is no provider nobody; known are 0x, /],
  ['{"0x":{}}', /0x needs a key/],
  ['0x', /0x needs a key/],
  ['{"0x":{"key":""}}', /^0x\/key must NOT have fewer/],
  ['{"velora":{"timeoutMs":99}}', /^velora\/timeoutMs must be >= 100/],
  ['{"velora":{"timeoutMs":30001}}', /velora\/timeoutMs must be <= 30000/],
  ['{"velora":{"perSecond":0}}', /velora\/perSecond must be >= 1/],
  ['{"velora":{"contracts":{"base":[]}}}', /velora\/contracts must NOT have additional/],
  ['{"velora":{"baseUrl":"ftp://x"}}', /velora\/baseUrl must match/],
  ['{"velora":{"enabled":"no"}}', /velora\/enabled must be boolean/],
  ['{"velora":{"contracts":{"8453":["0x12"]}}}', /velora\/contracts\/8453\/0 must match/],
  ['{"velora":{"url":"https://x"}}', /must NOT have additional properties/],
  ['{broken secret', /is neither a list of names nor JSON/],
]
for (const [text, sentence] of bad)
  s(`refuses ${text} without repeating it`, () => {
    try {
      readProviderSettings(text)
      assert.unreachable()
    } catch (error) {
      assert.match((error as Error).message, sentence)
      assert.not.match((error as Error).message, /secret/)
    }
  })

s('docs/sources.md lists every provider and every setting, and its example can be read', () => {
  const page = readFileSync(new URL('../../docs/sources.md', import.meta.url), 'utf8')
  for (const { name } of providers) assert.match(page, `\`${name}\``)
  for (const name of ['key', 'baseUrl', 'enabled', 'timeoutMs', 'perSecond', 'contracts'])
    assert.match(page, `\`${name}\``)
  const [, example = ''] = /```json\n([^`]*)```/.exec(page) ?? []
  assert.equal(
    readProviderSettings(example).map(({ name }) => name),
    ['0x', 'fabric'],
  )
})

s.run()
