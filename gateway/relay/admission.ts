import ipaddr from 'ipaddr.js'
import type { Address, Hex } from 'viem'
import { verifyTypedData } from 'viem/actions'
import { verifyOnChain } from '../chain/verifyOnChain.ts'
import type { RelayAdmissions } from '../store/relayAdmissions.ts'
import type { Refusal, StoppedAt } from './gates.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'

/** What operators may ask beside the document's gates, all off by default. */
export type AdmissionRules = {
  /** New deployments per network (/24, /64) and hour; undefined: no cap. */
  readonly maxNewPerNetwork: number | undefined
  /** `preferred`: who signs may use the share that is kept; `required`: nobody else is served. */
  readonly ownerSignature: 'off' | 'preferred' | 'required'
  /** Part of the hour's deployments and budget that only signed requests may use. */
  readonly signedSharePercent: number
}

export const noRules: AdmissionRules = {
  maxNewPerNetwork: undefined,
  ownerSignature: 'off',
  signedSharePercent: 0,
}

/** What a request says of itself that no gate looks at. */
export type Asker = {
  readonly ip: string
  readonly signature?: Hex | undefined
  /** Unix seconds until which the signature holds. */
  readonly deadline?: number | undefined
}

export type Admission = {
  /** Asked only for a new deployment that all gates would let through. */
  judge(p: { readonly spendWei: bigint }): StoppedAt | undefined
  /** Called once: whether a new deployment came of it. */
  conclude(isNew: boolean): Promise<void>
}

type Deps = {
  readonly rules: AdmissionRules
  readonly admissions: RelayAdmissions
  readonly now: () => number
}

/** What an owner signs (EIP-712): that the relay may deploy its proxy until `deadline`. */
export const sponsorTypes = {
  SponsoredDeploy: [
    { name: 'owner', type: 'address' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
export const sponsorDomain = (chainId: number, factory: Address) =>
  ({ name: 'Forkyard Relay', version: '1', chainId, verifyingContract: factory }) as const

/** How far away the deadline of a signature may be. */
export const longestValidSecs = 3_600

/** The /24 of an IPv4 address, the /64 of an IPv6 one: what one caller has at least. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return `${[...address.octets.slice(0, 3), 0].join('.')}/24`
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}

const stopped = (refusal: Omit<Refusal, 'status'>): StoppedAt => ({
  step: 12,
  answer: { status: 'refused', ...refusal },
})
const unsignedStop = stopped({
  httpStatus: 400,
  code: 'owner_signature_required',
  sentence: "the owner's signature is required on this relay",
})
const badSignatureStop = stopped({
  httpStatus: 400,
  code: 'owner_signature_invalid',
  sentence: "the owner's signature is not valid",
})
const shareStop = (secs: number) =>
  stopped({
    httpStatus: 429,
    code: 'unsigned_share_exhausted',
    sentence: 'what is left of this hour is kept for requests that the owner signed',
    retryAfterSecs: secs,
  })
const networkStop = (secs: number) =>
  stopped({
    httpStatus: 429,
    code: 'network_cap_reached',
    sentence: 'sponsored proxy deploy limit of this network is exhausted this hour',
    retryAfterSecs: secs,
  })

/** Lets everybody in whom the gates let in. */
export const admitAll: Admission = { judge: () => undefined, conclude: async () => undefined }
const closed = (stop: StoppedAt): Admission => ({ ...admitAll, judge: () => stop })

/** EOAs, contracts (EIP-1271) and contracts to be (EIP-6492). Rejects where the chain does not answer. */
async function isSignedBy(
  { client, chainId, signer }: RelayChain,
  { owner, asker, nowMs }: { owner: Address; asker: Asker; nowMs: number },
): Promise<boolean> {
  const { signature, deadline } = asker
  if (signature === undefined || deadline === undefined) return false
  const leftSecs = deadline - nowMs / 1_000
  if (leftSecs < 0 || leftSecs > longestValidSecs) return false
  return verifyOnChain(client.client, (bounded) =>
    verifyTypedData(bounded, {
      address: owner,
      signature,
      domain: sponsorDomain(chainId, signer.factory),
      types: sponsorTypes,
      primaryType: 'SponsoredDeploy',
      message: { owner, deadline: BigInt(deadline) },
    }),
  )
}

/** Takes what a new deployment for this owner needs beside the gates. */
export async function admit(
  { rules, admissions, now }: Deps,
  { chain, owner, asker }: { chain: RelayChain; owner: Address; asker: Asker | undefined },
): Promise<Admission> {
  const { maxNewPerNetwork, ownerSignature, signedSharePercent } = rules
  const { chainId, limits } = chain
  const asksSignature = ownerSignature !== 'off'
  const isOff = maxNewPerNetwork === undefined && !asksSignature && signedSharePercent === 0
  if (isOff || !asker) return admitAll
  const nowMs = now()
  const isSigned = asksSignature && (await isSignedBy(chain, { owner, asker, nowMs }))
  if (asksSignature && asker.signature !== undefined && !isSigned) return closed(badSignatureStop)
  if (ownerSignature === 'required' && !isSigned) return closed(unsignedStop)
  const openPercent = 100 - signedSharePercent
  const taken = await admissions.take({
    chainId,
    network: networkOf(asker.ip),
    isSigned,
    nowMs,
    windowMs: capWindowMs,
    maxOfNetwork: maxNewPerNetwork,
    maxUnsigned:
      signedSharePercent > 0
        ? Math.floor((limits.maxDeploysPerHour * openPercent) / 100)
        : undefined,
  })
  if (taken.status === 'refused') {
    const secs = Math.max(1, Math.ceil(taken.retryAfterMs / 1_000))
    return closed(taken.by === 'network' ? networkStop(secs) : shareStop(secs))
  }
  const openWei = (limits.maxSpendPerHourWei * BigInt(openPercent)) / 100n
  return {
    judge: ({ spendWei }) =>
      !isSigned && signedSharePercent > 0 && spendWei > openWei ? shareStop(60) : undefined,
    conclude: async (isNew) => {
      if (!isNew) await admissions.giveBack(taken.id)
    },
  }
}
