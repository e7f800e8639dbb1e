import { encodeAbiParameters, encodeFunctionData, maxUint256, zeroAddress } from 'viem'
import { swapExecutor } from '../../../contracts/artifacts.ts'
import { createPerson, startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { signOffer } from '../../../fixtures/access/signOffer.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

/** A stranger who carries another's payment in within a purchase of its own, when it is given change. */
const s = suite('access/x402/nested')
const stand = await startAccessStand({
  chainIds: [8453],
  isSettling: true,
  endpoints: [workEndpoint],
})
s.after(() => stand.close())
const base = stand.chain(8453)
const { Carrier } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
interface IQuota {
  function buyWithToken(address, uint256, uint256, bytes calldata) external payable returns (uint256);
}
contract Carrier {
  address private token;
  bytes private carried;
  function buy(address quota, bytes calldata swap, address token_, bytes calldata carried_) external payable {
    (token, carried) = (token_, carried_);
    IQuota(quota).buyWithToken{value: msg.value}(address(0), msg.value, 0, swap);
  }
  receive() external payable {
    (bool done,) = token.call(carried);
    require(done, "not carried");
  }
}`)
const carrierAbi = Carrier?.abi ?? []

const sign = (key: string) => signOffer({ stand, chain: base, key })

/** Sells half of what it is given: the rest comes back. */
function encodeSwap() {
  const { pools, tokens, executor } = base.world.manifest
  const [weth, { usdc }] = [tokens['WETH']?.address, base]
  const pool = pools.find(
    (each) => each.dex === 'uniswap-v2' && each.tokens.some((token) => token === usdc),
  )
  if (!weth || !pool?.tokens.includes(weth)) throw new Error('the world has no WETH/USDC pair')
  const step = {
    kind: 0,
    pool: pool.address,
    tokenIn: weth,
    tokenOut: usdc,
    share: 2n ** 63n,
    data: encodeAbiParameters([{ type: 'uint256' }], [3_000n]),
  }
  const parameters = {
    tokenIn: zeroAddress,
    amountIn: 0n,
    tokenOut: usdc,
    minAmountOut: 0n,
    recipient: executor,
    deadline: maxUint256,
  }
  return encodeFunctionData({
    abi: swapExecutor.abi,
    functionName: 'swap',
    args: [parameters, [step]],
  })
}

s(
  "is credited what it paid, and the payer's key what that paid [attack/nested-chain]",
  async () => {
    const { id, apiKey } = await stand.createKey('honest')
    const payment = await sign(apiKey)
    await base.rpc('evm_setAutomine', false)
    const settling = await settlePayment(stand.deps, { payment, keyId: id, waitMs: 0 })
    assert.is(settling.status, 'pending')
    const [sent] = await stand.store.settlements.listOpen(8453)
    if (!sent) throw new Error('it was sent')
    await base.rpc('anvil_dropTransaction', sent.txHash)
    await base.rpc('evm_setAutomine', true)

    const thief = await createPerson(base)
    const thiefKey = await stand.register(thief.account)
    const carrier = await deployArtifact(base.world.rpcUrl, { artifact: Carrier })
    const data = encodeFunctionData({
      abi: carrierAbi,
      functionName: 'buy',
      args: [base.quotaManager, encodeSwap(), base.usdc, sent.calldata],
    })
    const { status, transactionHash } = await thief.send(carrier, data, 2n * 10n ** 13n)
    assert.is(status, 'success')

    await reconcileSettlements(stand.deps, { chain: base.client })
    assert.is((await stand.store.settlements.find(sent))?.state, 'settled')
    assert.is((await stand.store.ledger.balance(id)).total, 1_000)
    const claim = await stand.call('/auth/quota/claim', {
      key: thiefKey,
      body: { chain_id: 8453, tx_hash: transactionHash },
    })
    const quotes = Number(claim.body['purchased_quotes'])
    assert.ok(quotes > 0 && quotes < 1_000, claim.text)
  },
)
s.run()
