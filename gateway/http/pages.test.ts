import { assert, suite } from '../../fixtures/test.ts'
import { createPages, isExtension, isJsonType, isOrigin, readOrigins } from './pages.ts'

const s = suite('http/pages')
const token = 'the token of a lab'
const pages = createPages({ origins: ['https://app.example'], token })

const table: readonly (readonly [
  name: string,
  holds: (text: string) => boolean,
  yes: readonly string[],
  no: readonly string[],
])[] = [
  [
    'a trusted page',
    pages.trusts,
    ['https://app.example', 'http://localhost:5173', 'http://a.localhost', 'http://127.0.0.1:1'],
    ['http://app.example', 'https://app.example.evil', 'ftp://localhost', 'null', ''],
  ],
  [
    'a name of this machine',
    pages.isOwnHost,
    ['localhost:8080', '127.1:80', '[::1]:8080', 'app.example', '127.255.0.9'],
    ['evil.example', '128.0.0.1', 'localhost.evil', '127.0.0.1.evil', ''],
  ],
  [
    'an extension',
    isExtension,
    ['chrome-extension://abc', 'moz-extension://a-b', 'safari-web-extension://1'],
    ['https://abc', 'chrome-extension://', 'chrome-extension://a/b', 'xchrome-extension://a'],
  ],
  [
    'JSON',
    isJsonType,
    ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'],
    ['text/plain', 'application/json-patch', 'xapplication/json', ''],
  ],
  [
    'an origin',
    isOrigin,
    ['https://app.example', 'http://localhost:3000'],
    ['https://app.example/', 'https://app.example/page', 'app.example', 'null'],
  ],
  ['an admin', pages.isAdmin, [`Bearer ${token}`], [token, `bearer ${token}`, 'Bearer ', '']],
]
for (const [name, holds, yes, no] of table)
  s(`knows ${name}, and what is none [teeth/pages]`, () => {
    assert.equal([...yes, ...no].map(holds), [...yes.map(() => true), ...no.map(() => false)])
  })
s('knows no admin without a token, no host and no type where none is said [teeth/pages]', () => {
  const { isAdmin, isOwnHost } = createPages({ origins: [] })
  assert.equal(
    [isAdmin('Bearer '), isAdmin(undefined), pages.isAdmin(undefined)],
    [false, false, false],
  )
  assert.equal([isOwnHost(undefined), isJsonType(undefined)], [false, false])
})
s('reads a list of origins, and no empty one [teeth/pages]', () => {
  assert.equal(readOrigins(' https://a.example,, http://b.example '), [
    'https://a.example',
    'http://b.example',
  ])
  assert.equal(readOrigins(), [])
})
s.run()
