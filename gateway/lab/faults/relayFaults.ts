import type { Context } from 'koa'
import { Type } from 'typebox'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  toHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { userProxyFactoryV6 } from '../../../contracts/artifacts.ts'
import { readJsonBody } from '../../http/readJsonBody.ts'
import { address } from '../../http/schemas.ts'
import { createValidate } from '../../http/validate.ts'
import { type Gate, gates, type Refusal } from '../../relay/gates.ts'
import { refusalError } from '../../relay/wire/routes.ts'
import type { LeasedChain } from '../../testing/leaseChain.ts'
import type { LabChainManifest } from '../manifest.ts'
import type { Fault, Play } from './fault.ts'

const usual = { at: 'request', reads: [] } as const

/** What each gate says of facts that are in its way. */
const inTheWay = {
  amountIn: 1n,
  deploy: { status: 'reverted', reason: 'asked for' },
  secsToRelief: 1_800,
}

function refusalOf({ otherwise }: Gate): readonly Refusal[] {
  // Those that answer read no other facts.
  const answer = otherwise(inTheWay as never)
  return answer?.status === 'refused' ? [answer] : []
}

const gateFaults = gates.flatMap((gate) =>
  refusalOf(gate).map(
    (refusal): Fault => ({
      ...usual,
      name: `relay_${refusal.code.replace(/^relay_/, '')}`,
      sentence: `${refusal.httpStatus} of the relay's gate ${gate.step}: ${refusal.sentence}`,
      async play() {
        throw refusalError(refusal)
      },
    }),
  ),
)

const amplyGas = 1_000_000n
/** Enough to begin with, too little to end. */
const scarceGas = 30_000n

/** The relay's own answers, of deployments that a throw-away account pays for: the relay's books hear of none. */
export const relayFaults: readonly Fault[] = [
  ...gateFaults,
  {
    ...usual,
    name: 'relay_existing',
    sentence: 'The owner has a proxy by the time the relay answers',
    play: answering(async ({ deployment, chain }) => {
      await broadcast(chain, deployment)
      await chain.mine()
      return { proxy: deployment.proxy, existing: true }
    }),
  },
  {
    ...usual,
    name: 'relay_reverts',
    sentence: '200 of the relay whose transaction reverts',
    play: answering(
      async ({ deployment, chain }) => {
        await broadcast(chain, deployment)
        return deployed(deployment)
      },
      { gas: scarceGas },
    ),
  },
  {
    ...usual,
    name: 'relay_never_confirms',
    sentence: '200 of the relay whose transaction is never mined',
    play: answering(async ({ deployment }) => deployed(deployment)),
  },
  {
    ...usual,
    name: 'relay_late',
    sentence: '200 of the relay whose transaction is mined ms later',
    reads: ['ms'],
    usual: { ms: 130_000 },
    play: answering(async ({ deployment, chainId, chains, settings, log }) => {
      const send = () => chains.on(chainId, (chain) => broadcast(chain, deployment))
      const timer = setTimeout(
        () => send().catch((err: unknown) => log.error({ err }, 'a late deployment was not sent')),
        settings.ms,
      )
      timer.unref()
      return deployed(deployment)
    }),
  },
]

type Deployment = { readonly raw: Hex; readonly txHash: Hex; readonly proxy: Address }
type Answer = Partial<Pick<Deployment, 'txHash'>> & Pick<Deployment, 'proxy'> & { existing?: true }

const deployed = ({ txHash, proxy }: Deployment): Answer => ({ txHash, proxy })
const broadcast = (chain: LeasedChain, { raw }: Deployment) =>
  chain.request('eth_sendRawTransaction', [raw])

function answering(
  answer: (
    asked: Parameters<Play>[0] & {
      readonly chainId: number
      readonly chain: LeasedChain
      readonly deployment: Deployment
    },
  ) => Promise<Answer>,
  { gas = amplyGas }: { readonly gas?: bigint } = {},
): Play {
  return async (played) => {
    const { ctx, chains } = played
    const { chainId, owner } = await readOrder(ctx)
    ctx.body = await chains.on(chainId, async (chain, manifest) => {
      const deployment = await signDeployment(chain, { manifest, owner, gas })
      return answer({ ...played, chainId, chain, deployment })
    })
  }
}

const Order = Type.Object({ chainId: Type.Integer(), owner: address() })
const validate = createValidate(Order, 'body')
const maxBytes = 262_144

async function readOrder(ctx: Context) {
  const { value } = await readJsonBody(ctx.req, { maxBytes })
  const wrong = validate(value)
  if (wrong) throw wrong
  return value as Type.Static<typeof Order>
}

/** By an account that nobody knows, so that no nonce is in its way. */
async function signDeployment(
  chain: LeasedChain,
  {
    manifest,
    owner,
    gas,
  }: { readonly manifest: LabChainManifest; readonly owner: Address; readonly gas: bigint },
): Promise<Deployment> {
  const account = privateKeyToAccount(generatePrivateKey())
  const { proxyFactory: to } = manifest
  const { abi } = userProxyFactoryV6
  await chain.request('anvil_setBalance', [account.address, toHex(10n ** 20n)])
  const asked = { to, data: encodeFunctionData({ abi, functionName: 'predict', args: [owner] }) }
  const data = (await chain.request('eth_call', [asked, 'latest'])) as Hex
  const raw = await account.signTransaction({
    chainId: chain.chainId,
    to,
    data: encodeFunctionData({ abi, functionName: 'deploy', args: [owner] }),
    gas,
    gasPrice: 2n * BigInt(String(await chain.request('eth_gasPrice'))),
    nonce: 0,
  })
  const proxy = decodeFunctionResult({ abi, functionName: 'predict', data })
  return { raw, txHash: keccak256(raw), proxy }
}
