import { assert, suite } from '../../fixtures/test.ts'
import { readConfig } from '../config/config.ts'
import { base } from './base.ts'
import { oneNode } from './oneNode.ts'

const s = suite('one node in the place of others')

s('is asked alone, and no socket of theirs is listened to [nodes/one-node]', () => {
  const theirs = {
    KEY_PEPPER: 'p'.repeat(32),
    BASE_RPC_URL: 'https://one.example,https://two.example',
    BASE_RPC_PRICES: '1,0',
    BASE_WS_URL_FILE: '/nowhere/secret',
  }
  const [chain] = readConfig({ ...theirs, ...oneNode(base, 'http://127.0.0.1:1') }).chains
  assert.equal([chain?.rpcUrls, chain?.wsUrl], [['http://127.0.0.1:1'], undefined])
})
s.run()
