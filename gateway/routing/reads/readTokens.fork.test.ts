import type { Address } from 'viem'
import { startAnvil } from '../../../fixtures/anvil/anvil.ts'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { readHead } from './readHead.ts'
import { readTokens } from './readTokens.ts'

const contracts = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Decimals { uint8 public constant decimals = 18; }
contract Bytes32 is Decimals { bytes32 public constant symbol = "MKR"; }
contract Empty is Decimals { string public constant symbol = ""; }
contract Emoji is Decimals { string public constant symbol = unicode"🦄 UNI"; }
contract Silent is Decimals { }
contract Long is Decimals {
  function make(uint256 length) internal pure returns (string memory text) {
    text = new string(length);
    bytes(text)[0] = "L"; bytes(text)[1] = "O";
  }
  function symbol() external pure virtual returns (string memory) { return make(10_000); }
}
contract Megabyte is Long {
  function symbol() external pure override returns (string memory) { return make(1_000_000); }
}
contract Endless is Decimals { function symbol() external pure returns (string memory) { while (true) {} } }
contract Huge { uint256 public constant decimals = 2 ** 200; string public constant symbol = "X"; }
contract None { string public constant symbol = "X"; }
`)
const node = await startAnvil({ args: ['--chain-id', '8453'] })
const chain = getChain(8453)
if (!chain) throw new Error('chain 8453 is built in')
const chainClient = createChainClient({ chain, rpcUrls: [node.rpcUrl] })

const s = suite('tokens as the chain describes them')
s.after(async () => {
  chainClient.close()
  await node.close()
})

s('reads them all at once, whatever one of them answers', async () => {
  const expected: readonly (readonly [string, string])[] = [
    ['Bytes32', 'MKR'],
    ['Empty', ''],
    ['Emoji', '🦄UNI'],
    ['Silent', ''],
    ['Long', 'LO'],
    // Costs more gas than any symbol is worth.
    ['Megabyte', ''],
    ['Endless', ''],
  ]
  const tokens: Address[] = []
  for (const name of [...expected.map(([each]) => each), 'Huge', 'None'])
    tokens.push(await deployArtifact(node.rpcUrl, { artifact: contracts[name] }))
  const head = await readHead(chainClient)
  const found = await readTokens(chainClient, { tokens, blockNumber: head?.number ?? 0n })
  assert.equal(
    found,
    expected.map(([, symbol], index) => ({ address: tokens[index], decimals: 18, symbol })),
  )
})

s.run()
