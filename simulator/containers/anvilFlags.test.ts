import { assert, suite } from '../../fixtures/test.ts'
import { anvilFlags } from './anvilFlags.ts'

const s = suite('simulator/containers/anvilFlags')
const block = {
  chainId: 8453,
  blockNumber: 17,
  upstreamHost: '10.7.0.1',
  upstreamPort: 4321,
  upstreamPath: '/se-cret',
}
const usual =
  '--no-cors --chain-id 8453 --fork-url http://10.7.0.1:4321/se-cret --fork-block-number 17 ' +
  '--accounts 0 --no-storage-caching --gas-limit 60000000 --timeout 2000 --retries 1 ' +
  '--fork-retry-backoff 100 --no-rate-limit --disable-console-log --threads 32'

s('starts every fork with what such a fork is started with', () => {
  assert.is(anvilFlags(block).join(' '), usual)
})
s('names the rules of a chain where anvil has to be told', () => {
  const flags = anvilFlags({ ...block, hardfork: 'isthmus', network: 'optimism' })
  assert.is(flags.join(' '), `${usual} --hardfork isthmus --network optimism`)
})
s.run()
