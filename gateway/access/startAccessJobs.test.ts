import {
  settleChainId as chainId,
  openSettlements,
  settleStartMs,
  signPayment,
} from '../../fixtures/access/simSettlements.ts'
import { finalDepth } from '../../fixtures/books/simChain.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createKey } from './issueKeys.ts'
import { startAccessJobs } from './startAccessJobs.ts'
import { settlePayment } from './x402/settlePayment.ts'

/** Beside a simulated chain; what the jobs do with each payment is tested beside them. */
const s = suite('access/startAccessJobs')
const never = 2 ** 30

async function open() {
  const opened = openSettlements(() => settleStartMs)
  const told: string[] = []
  const log = { ...opened.deps.log, warn: (_: object, text: string) => void told.push(text) }
  const deps = { ...opened.deps, log }
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const { ledger, payments } = deps.store
  return {
    ...opened,
    deps,
    told,
    /** Mined after it was last looked at. */
    async pay(nth: number) {
      await settlePayment(deps, { payment: signPayment({ nth }), keyId, waitMs: 0 })
      opened.mine()
    },
    units: async () => (await ledger.balance(keyId)).total,
    countOpen: async () =>
      (await payments.listOpen({ chainId, maxBlock: 10_000n, limit: 9 })).length,
  }
}

s('look at once at what was left, and are closed once that is over [teeth/jobs]', async () => {
  const { deps, pay, units } = await open()
  await pay(1)
  const jobs = startAccessJobs(deps, { everyMs: never })
  await jobs.close()
  assert.is(await units(), 10)
})
s('follow up what is sent and what is credited, when they are told to [teeth/jobs]', async () => {
  const { deps, mine, pay, units, countOpen } = await open()
  const jobs = startAccessJobs(deps, { everyMs: never })
  await jobs.runOnce()
  await pay(1)
  await jobs.runOnce()
  assert.equal([await units(), await countOpen()], [10, 1])
  for (let block = 0; block < finalDepth; block += 1) mine()
  await jobs.runOnce()
  assert.equal([await units(), await countOpen()], [10, 0])
  await jobs.close()
})
s('say of each that it was not done, and do it in a later pass [teeth/jobs]', async () => {
  const { deps, node, pay, told, units } = await open()
  await pay(1)
  node.faults.isDown = true
  const jobs = startAccessJobs(deps, { everyMs: never })
  await jobs.runOnce()
  const notDone = 'payments were not followed up'
  assert.equal(
    told.filter((text) => text === notDone),
    [notDone, notDone],
  )
  node.faults.isDown = false
  await jobs.runOnce()
  assert.is(await units(), 10)
  await jobs.close()
})
s.run()
