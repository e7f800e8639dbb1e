import { createClient, custom, pad } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { AdmissionAsked, AdmissionTaken } from '../store/relayAdmissions.ts'
import { type AdmissionRules, type Asker, admit, networkOf, noRules } from './admission.ts'
import { defaultLimits } from './limits.ts'
import type { RelayChain } from './relayChain.ts'

/** What is asked of the book and what comes of its answer; `admission.fork.test.ts` signs and deploys. */
const s = suite('relay admission')
const owner = pad('0x1', { size: 20 })
const nowMs = 5_000_000
const chain = { chainId: 1, limits: defaultLimits, signer: { factory: owner } } as RelayChain

async function ask(
  given: Partial<AdmissionRules>,
  {
    asker = { ip: '192.0.2.77' },
    taken = { status: 'taken', id: 9 },
    on = chain,
  }: {
    readonly asker?: Asker
    readonly taken?: AdmissionTaken
    readonly on?: RelayChain
  } = {},
) {
  const asked: AdmissionAsked[] = []
  const back: number[] = []
  const admissions = {
    take: async (one: AdmissionAsked) => {
      asked.push(one)
      return taken
    },
    giveBack: async (id: number) => void back.push(id),
  }
  const deps = { rules: { ...noRules, ...given }, admissions, now: () => nowMs }
  const admission = await admit(deps, { chain: on, owner, asker })
  const refusalOf = (spendWei = 0n) => {
    const stopped = admission.judge({ spendWei })
    return stopped && { step: stopped.step, ...stopped.answer }
  }
  return { admission, refusalOf, asked, back }
}
const refused = (httpStatus: number, code: string, sentence: string) =>
  ({ step: 12, status: 'refused', httpStatus, code, sentence }) as const

s('without rules nothing is asked of the book [teeth/admission]', async () => {
  const { admission, refusalOf, asked, back } = await ask({})
  await admission.conclude(false)
  assert.equal([refusalOf(10n ** 30n), asked, back], [undefined, [], []])
})
s('a network is the /24 of IPv4 and the /64 of IPv6 [teeth/admission]', () => {
  assert.is(networkOf('192.0.2.77'), '192.0.2.0/24')
  assert.is(networkOf('::ffff:192.0.2.77'), '192.0.2.0/24')
  assert.is(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.is(networkOf('unknown'), 'unknown')
})
s('each rule alone is asked of the book with what it needs [teeth/admission]', async () => {
  const common = {
    chainId: 1,
    network: '192.0.2.0/24',
    isSigned: false,
    nowMs,
    windowMs: 3_600_000,
  }
  const { asked } = await ask({ maxNewPerNetwork: 2 })
  assert.equal(asked, [{ ...common, maxOfNetwork: 2, maxUnsigned: undefined }])
  const share = await ask({ signedSharePercent: 34 })
  // 66 % of 60, rounded down.
  assert.equal(share.asked, [{ ...common, maxOfNetwork: undefined, maxUnsigned: 39 }])
  const least = await ask({ signedSharePercent: 1 })
  assert.equal(least.asked, [{ ...common, maxOfNetwork: undefined, maxUnsigned: 59 }])
  const preferred = await ask({ ownerSignature: 'preferred' })
  assert.equal(preferred.asked, [{ ...common, maxOfNetwork: undefined, maxUnsigned: undefined }])
})
s('who does not sign where he must is told so, and takes nothing [teeth/admission]', async () => {
  const { admission, refusalOf, asked, back } = await ask({ ownerSignature: 'required' })
  await admission.conclude(false)
  assert.equal(
    refusalOf(),
    refused(400, 'owner_signature_required', "the owner's signature is required on this relay"),
  )
  assert.equal([asked, back], [[], []])
})
for (const [what, deadline] of [
  ['that is over', nowMs / 1_000 - 1],
  ['more than an hour away', nowMs / 1_000 + 3_601],
  ['without a deadline', undefined],
] as const)
  s(`a signature ${what} is not even looked at [teeth/admission]`, async () => {
    const asker = { ip: '192.0.2.77', signature: '0x01', deadline } as const
    const { refusalOf, asked } = await ask({ ownerSignature: 'preferred' }, { asker })
    assert.equal(
      refusalOf(),
      refused(400, 'owner_signature_invalid', "the owner's signature is not valid"),
    )
    assert.equal(asked, [])
  })
s('a signature is looked at up to its last second, an hour at most [teeth/admission]', async () => {
  for (const [leftSecs, looks] of [
    [0, true],
    [3_600, true],
    [3_601, false],
  ] as const) {
    let looked = false
    const request = async () => {
      looked = true
      return '0x01'
    }
    const client = createClient({ transport: custom({ request }) })
    const on = { ...chain, client: { client } } as unknown as RelayChain
    const deadline = nowMs / 1_000 + leftSecs
    await ask(
      { ownerSignature: 'preferred' },
      { asker: { ip: '192.0.2.77', signature: '0x01', deadline }, on },
    )
    assert.is(looked, looks)
  }
})
s(
  'an owner is told nothing of a signature while the node is away, or will not run its code [attack/owner-node-away]',
  async () => {
    const away = new Error('away')
    for (const refused of [undefined, 'eth_call']) {
      const request = async ({ method }: { method: string }) => {
        if (refused === undefined || method === refused) throw away
        return '0x1'
      }
      const client = createClient({ transport: custom({ request }, { retryCount: 0 }) })
      const on = { ...chain, client: { client } } as unknown as RelayChain
      const asker = { ip: '192.0.2.77', signature: '0x01', deadline: nowMs / 1_000 } as const
      const failed = await ask({ ownerSignature: 'preferred' }, { asker, on }).catch(
        (error: Error) => error.cause,
      )
      assert.is(failed, away, refused)
    }
  },
)
s(
  'what the book refuses is told with the seconds until there is room [teeth/admission]',
  async () => {
    const network = 'sponsored proxy deploy limit of this network is exhausted this hour'
    const share = 'what is left of this hour is kept for requests that the owner signed'
    for (const [by, code, sentence, retryAfterMs, retryAfterSecs] of [
      ['network', 'network_cap_reached', network, 1_001, 2],
      ['network', 'network_cap_reached', network, -100_000, 1],
      ['share', 'unsigned_share_exhausted', share, 3_600_000, 3_600],
    ] as const) {
      const taken = { status: 'refused', by, retryAfterMs } as const
      const { refusalOf } = await ask({ maxNewPerNetwork: 1 }, { taken })
      assert.equal(refusalOf(), { ...refused(429, code, sentence), retryAfterSecs })
    }
  },
)
s('what is not signed may spend what is not kept, to the wei [teeth/admission]', async () => {
  const { refusalOf } = await ask({ signedSharePercent: 25 })
  const openWei = (defaultLimits.maxSpendPerHourWei * 75n) / 100n
  assert.is(refusalOf(openWei), undefined)
  const beyond = refusalOf(openWei + 1n)
  assert.equal(beyond, {
    ...refused(
      429,
      'unsigned_share_exhausted',
      'what is left of this hour is kept for requests that the owner signed',
    ),
    retryAfterSecs: 60,
  })
  const least = await ask({ signedSharePercent: 1 })
  const nearlyAllWei = (defaultLimits.maxSpendPerHourWei * 99n) / 100n
  assert.is(least.refusalOf(nearlyAllWei), undefined)
  assert.ok(least.refusalOf(nearlyAllWei + 1n))
  const unkept = await ask({ maxNewPerNetwork: 1 })
  assert.is(unkept.refusalOf(10n ** 30n), undefined)
})
s('what came to nothing is given back, what came to be is not [teeth/admission]', async () => {
  const { admission, back } = await ask({ maxNewPerNetwork: 1 })
  await admission.conclude(true)
  assert.equal(back, [])
  await admission.conclude(false)
  assert.equal(back, [9])
})
s.run()
