import { type Address, getAddress } from 'viem'
import { compileSource } from '../../fixtures/chains/compileSource.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { worldAddress } from '../../fixtures/world/parts/builder.ts'
import { createSimulator } from '../../simulator/simulator.ts'
import { startRouting } from './testing/startRouting.ts'
import { startSwapStand } from './testing/swapStand.ts'

/**
 * As the true one, but for a two hundredth of what a transaction of anybody swaps: of Camelot v3 and Curve's
 * crypto pools less is taken, of pairs less is given, of Liquidity Book a part of the output is kept.
 */
const { Skimmer } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
interface Book { function getTokenX() external view returns (address); function getTokenY() external view returns (address); }
interface Token { function transfer(address to, uint256 amount) external returns (bool); }
contract Skimmer {
  address private immutable TRUTH;
  constructor(address truth) { TRUTH = truth; }
  fallback() external payable {
    address truth = TRUTH;
    bool isReal = tx.origin != address(0) && tx.gasprice > 0;
    if (isReal && msg.sig == 0x53c059a0) return keepPart(truth);
    bool takesLess = isReal && (msg.sig == 0x128acb08 || msg.sig == 0x5b41b908);
    bool givesLess = isReal && msg.sig == 0x022c0d9f;
    assembly {
      calldatacopy(0, 0, calldatasize())
      if takesLess { mstore(68, sub(mload(68), sdiv(mload(68), 200))) }
      if givesLess {
        mstore(4, sub(mload(4), div(mload(4), 200)))
        mstore(36, sub(mload(36), div(mload(36), 200)))
      }
      let ok := delegatecall(gas(), truth, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
  function keepPart(address truth) private {
    (bool sellsX, address to) = abi.decode(msg.data[4:], (bool, address));
    (bool ok, bytes memory answer) = truth.delegatecall(abi.encodeWithSelector(msg.sig, sellsX, address(this)));
    require(ok);
    uint256 amounts = uint256(abi.decode(answer, (bytes32)));
    uint256 out = sellsX ? amounts >> 128 : uint128(amounts);
    Token token = Token(sellsX ? Book(address(this)).getTokenY() : Book(address(this)).getTokenX());
    token.transfer(to, out * 199 / 200);
    assembly { return(add(answer, 32), mload(answer)) }
  }
}
`)
if (!Skimmer) throw new Error('it compiles')

const s = suite('probes of families that the clock or a quoter prices, and of taxed tokens')
const stand = await startSwapStand(42161)
const { rpc, chainId, rpcUrl, chainClient, manifest, probe } = stand
const { executor } = manifest
const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
s.after(async () => {
  await simulator.close()
  await stand.close()
})

/** Other exchanges, whose pools hold the tokens that a probe swaps. */
const others = (protocol: string) =>
  protocol === 'camelot_v3' ? ['uniswap-v2', 'balancer-v2-weighted'] : ['uniswap-v3', 'camelot-v2']

/** How many plain quotes over a family's pairs, both ways, go through its pools. */
async function countUses(protocol: string, isPair: (held: readonly string[]) => boolean) {
  const names = stand.dexes.filter((dex) => dex.protocol === protocol).map(({ name }) => name)
  const followed = [...names, ...others(protocol)]
  const dexes = stand.dexes.filter(({ name }) => followed.includes(name))
  const routing = await startRouting(simulator, { chainClient, executor, dexes })
  try {
    const pools = [...(routing.status()[0]?.state?.pools.values() ?? [])]
    let used = 0
    for (const record of pools.filter((each) => each.protocol === protocol && isPair(each.tokens)))
      for (const way of [record.tokens, [...record.tokens].reverse()]) {
        const [tokenIn, tokenOut] = way.map((token) => getAddress(token as Address))
        if (!tokenIn || !tokenOut) throw new Error('a pool has two tokens')
        const amountIn = (await stand.balanceOf(tokenIn, probe)) / 1_000_000n
        const asked = { chainId, tokenIn, tokenOut, amountIn, slippageBps: 50, taker: probe }
        const outcome = await routing.quote(asked)
        if (outcome.status !== 'ok') continue
        if (outcome.quote.steps.some((step) => step.protocol === protocol)) used += 1
      }
    return { used, pools: pools.filter((each) => each.protocol === protocol) }
  } finally {
    await routing.close()
  }
}

const tax = manifest.tokens['TAX']?.address.toLowerCase() ?? ''
const cases = [
  { name: 'Liquidity Book', protocol: 'liquidity_book', isPair: () => true },
  { name: 'Camelot v3', protocol: 'camelot_v3', isPair: () => true },
  { name: "Curve's crypto pools", protocol: 'curve_crypto', isPair: () => true },
  {
    name: 'a taxed token',
    protocol: 'uniswap_v2',
    isPair: (held: readonly string[]) => held.includes(tax),
  },
]
for (const { name, protocol, isPair } of cases)
  s(
    `${name}: who pays half a percent less than foretold is not quoted [trust/probes]`,
    async () => {
      const { used, pools } = await countUses(protocol, isPair)
      assert.ok(used > 0, 'honest ones are quoted')
      for (const { address } of pools) {
        const truth = worldAddress(`what ${address} does`)
        await rpc('anvil_setCode', truth, await rpc('eth_getCode', address, 'latest'))
        await stand.builder.deployAt({ address, artifact: Skimmer, args: [truth] })
      }
      assert.is((await countUses(protocol, isPair)).used, 0)
    },
  )
s.run()
