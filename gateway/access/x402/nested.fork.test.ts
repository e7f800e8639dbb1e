import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { quotaManager, swapExecutor } from '../../../contracts/artifacts.ts'
import { createPerson, startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { deploySafes } from '../../../fixtures/access/contractWallets.ts'
import { signOffer } from '../../../fixtures/access/signOffer.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import { compileSource } from '../../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../../fixtures/chains/deployArtifact.ts'
import { revertChain } from '../../../fixtures/relay/revertChain.ts'
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
const encodeSwap = () =>
  encodeSale({
    share: 2n ** 63n,
    sold: { tokenIn: zeroAddress, amountIn: 0n, recipient: base.world.manifest.executor },
  })

type Sold = { readonly tokenIn: Address; readonly amountIn: bigint; readonly recipient: Address }

/** Sells through the world's pair of WETH and USDC. */
function encodeSale({ share, sold }: { readonly share: bigint; readonly sold: Sold }) {
  const { pools, tokens } = base.world.manifest
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
    share,
    data: encodeAbiParameters([{ type: 'uint256' }], [3_000n]),
  }
  const parameters = { ...sold, tokenOut: usdc, minAmountOut: 0n, deadline: maxUint256 }
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

s(
  "is credited what it paid, and a Safe's key what that sold and paid within [attack/nested-swap-chain]",
  async () => {
    const [owner, thief] = [await createPerson(base), await createPerson(base)]
    const predictSafe = await deploySafes(base, owner)
    const safe = await predictSafe([owner.account])
    await owner.send(safe.deploy.to, safe.deploy.data)
    const key = await stand.register({
      address: safe.address,
      signMessage: ({ message }) => safe.signMessage(message),
    })
    const thiefKey = await stand.register(thief.account)
    const carrier = await deployArtifact(base.world.rpcUrl, { artifact: Carrier })
    const buy = (target: Address, carried: Hex) => {
      const args = [base.quotaManager, encodeSwap(), target, carried]
      const data = encodeFunctionData({ abi: carrierAbi, functionName: 'buy', args })
      return thief.send(carrier, data, 2n * 10n ** 13n)
    }
    // What its purchase will be, with nothing carried in.
    const before = await base.rpc('evm_snapshot')
    const symbol = encodeFunctionData({ abi: erc20Abi, functionName: 'symbol' })
    const { logs } = await buy(base.usdc, symbol)
    const [alone] = parseEventLogs({ abi: quotaManager.abi, logs, eventName: 'QuotaPurchased' })
    const amount = alone?.args.amount ?? 0n
    await revertChain(base.rpc, before)

    const { tokens, executor } = base.world.manifest
    const weth = tokens['WETH']?.address
    if (!weth) throw new Error('the world has no WETH')
    const amountIn = 10n ** 15n
    const wrap = encodeFunctionData({
      abi: parseAbi(['function deposit() payable']),
      functionName: 'deposit',
    })
    const token = (functionName: 'transfer' | 'approve', to: Address, value: bigint) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args: [to, value] })
    await owner.send(weth, wrap, amountIn)
    await owner.send(weth, token('transfer', safe.address, amountIn))
    const sale = encodeSale({
      share: 2n ** 64n,
      sold: { tokenIn: weth, amountIn, recipient: safe.address },
    })
    const carried = await safe.execute(
      { to: weth, data: token('approve', executor, amountIn) },
      { to: executor, data: sale },
      { to: base.usdc, data: token('transfer', base.quotaManager, amount) },
    )
    const { status, transactionHash } = await buy(carried.to, carried.data)
    assert.is(status, 'success')

    const quotes = Number(amount / 100n)
    for (const claimant of [thiefKey, key]) {
      const claim = await stand.call('/auth/quota/claim', {
        key: claimant,
        body: { chain_id: 8453, tx_hash: transactionHash },
      })
      assert.is(claim.body['purchased_quotes'], quotes, claim.text)
    }
  },
)
s.run()
