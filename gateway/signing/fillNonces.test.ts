import { createClient, custom, numberToHex, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { toViemChain } from '../chain/client.ts'
import { type FillDeps, fillNonces } from './fillNonces.ts'

/** What is looked for before anything is signed; `nonceGap.fork.test.ts` fills real ones. */
const s = suite('fillNonces')
const chain = toViemChain(base)

/** One pass over nodes that count so many each, of which the first is asked; what it tells and sends. */
async function look(counts: readonly number[]) {
  const told: string[] = []
  const sent: number[] = []
  const [client, ...others] = counts.map((count) =>
    createClient({ chain, transport: custom({ request: async () => numberToHex(count) }) }),
  )
  const nonces = {
    listFills: async ({ from }: { from: number }) =>
      [4, 9].filter((nonce) => nonce >= from).map((nonce) => ({ nonce, signedAtMs: 0 })),
    missingNonces: async ({ from }: { from: number }) => [3, 8].filter((nonce) => nonce >= from),
  }
  const deps = {
    nonces,
    chain: {
      chainId: chain.id,
      client,
      ...(others.length > 0 && { witnesses: [client, ...others] }),
    },
    signer: { address: zeroAddress },
    clock: { now: () => 0 },
    observe: ({ kind, nonce }: { kind: string; nonce: number }) =>
      void told.push(`${kind} ${nonce}`),
    send: async ({ nonce }: { nonce: number }) => void sent.push(nonce),
    memory: { missing: [] },
  }
  // What one pass missed is filled in the next: of the rest of it nothing is asked yet.
  await fillNonces(deps as unknown as FillDeps, counts[0] ?? 0)
  return { told, sent }
}

s(
  'sends and fills nothing that two nodes take for used, whatever a third counts [18/used-by-two]',
  async () => {
    assert.equal(await look([2, 7, 7]), { told: ['nonce_gap 8'], sent: [9] })
  },
)
s('is held up by no node that counts too high [18/used-by-two]', async () => {
  for (const counts of [[2], [2, 99], [2, 2, 99]])
    assert.equal(await look(counts), { told: ['nonce_gap 3'], sent: [4, 9] })
})
s.run()
