import { numberToHex } from 'viem'
import { startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { signOffer } from '../../../fixtures/access/signOffer.ts'
import { workEndpoint } from '../../../fixtures/access/workEndpoint.ts'
import {
  lyingToken,
  ownerAt,
  prepareOwners,
  startRelayStand,
} from '../../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import type { AccessDeps, SettlementLimits } from '../sale/accessConfig.ts'
import { reconcileSettlements } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

/** A settlement and a deployment of one key, when gas has become dearer than settlements may be. */
const s = suite('access/x402/heldUp')
const world = await startWorldChain({ chainId: 8453 })
let jumpMs = 0
const now = () => Date.now() + jumpMs
const stand = await startAccessStand({
  worlds: [world],
  isSettling: true,
  endpoints: [workEndpoint],
  now,
})
const base = stand.chain(8453)
const relay = await startRelayStand({ chain: world, store: stand.store })
s.after(async () => {
  await relay.close()
  await stand.close()
  await world.close()
})

function withLimits(change: Partial<SettlementLimits>): AccessDeps {
  const contracts = stand.deps.config.contracts.map((contract) => ({
    ...contract,
    ...(contract.settlement && {
      settlement: {
        ...contract.settlement,
        limits: { ...contract.settlement.limits, ...change },
      },
    }),
  }))
  return { ...stand.deps, config: { ...stand.deps.config, contracts } }
}

async function mineAt(baseFeePerGasWei: bigint): Promise<void> {
  await base.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(baseFeePerGasWei))
  await base.rpc('evm_mine')
}

const sign = (key: string) => signOffer({ stand, chain: base, key })

s(
  'a settlement that a deployment waits behind is raised up to what a deployment may cost, and no other [18/held-up]',
  async () => {
    const [cheap, dear] = [10n ** 7n, 10n ** 9n]
    const owner = ownerAt(0)
    await prepareOwners(world, [owner])
    const { id: keyId, apiKey } = await stand.createKey('buyer')
    const payment = await sign(apiKey)
    const second = await sign(apiKey)
    const limits = { maxFeeWei: 4n * 10n ** 13n, maxStuckFeeWei: 2n * 10n ** 14n }
    const deps = withLimits(limits)
    /** It is seen, and a minute later raised. */
    const pass = async () => {
      await reconcileSettlements(deps, { chain: base.client })
      jumpMs += 61_000
      await reconcileSettlements(deps, { chain: base.client })
      const [open] = await stand.store.settlements.listOpen(8453)
      return open && open.gasLimit * open.maxFeePerGasWei
    }
    await base.rpc('evm_setAutomine', false)
    await mineAt(cheap)
    for (const each of [payment, second])
      assert.is((await settlePayment(deps, { payment: each, keyId, waitMs: 0 })).status, 'pending')
    await mineAt(dear)
    assert.ok(((await pass()) ?? 0n) <= limits.maxFeeWei, 'a settlement waits behind it')

    const deployed = await relay.post({ chainId: 8453, owner, tokenIn: lyingToken, amountIn: '1' })
    assert.is(deployed.status, 200)
    await mineAt(dear)
    const receipt = () => base.rpc('eth_getTransactionReceipt', deployed.body.txHash)
    assert.is(await receipt(), null)
    const raisedWei = (await pass()) ?? 0n
    assert.ok(raisedWei > limits.maxFeeWei && raisedWei <= limits.maxStuckFeeWei, `${raisedWei}`)
    await mineAt(dear)
    await pass()
    await mineAt(dear)
    assert.is.not(await receipt(), null)
    await reconcileSettlements(deps, { chain: base.client })
    assert.is((await stand.store.ledger.balance(keyId)).total, 2_000)
  },
)
s.run()
