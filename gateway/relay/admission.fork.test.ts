import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  serializeErc6492Signature,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readContract } from 'viem/actions'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { waitForReceipt } from '../../fixtures/chains/send.ts'
import {
  giveNative,
  lyingToken,
  ownerAt,
  prepareOwners,
  type RelayStand,
  startRelayStand,
} from '../../fixtures/relay/relayStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { compileSolidity } from '../../simulator/testing/compileSolidity.ts'
import {
  type AdmissionRules,
  networkOf,
  noRules,
  sponsorDomain,
  sponsorTypes,
} from './admission.ts'

/** What operators may ask beside the gates: the relay cannot be emptied with strangers' addresses then. */
const s = suite('relay/admission')
const chain = await startWorldChain({ chainId: 42161 })
const { chainId } = chain
const rpc = createRpc(chain.rpcUrl)
const strangers = Array.from({ length: 40 }, (_, index) => ownerAt(index, 'admission'))
await prepareOwners(chain, strangers)
let used = 0
const stranger = () => strangers[used++] as Address
const stands: RelayStand[] = []
s.after(async () => {
  for (const stand of stands) await stand.close()
  await chain.close()
})
let nowMs = Date.now()
async function open(rules: Partial<AdmissionRules>, limits: object = {}) {
  const all = { ...noRules, ...rules }
  const stand = await startRelayStand({ chain, rules: all, limits, now: () => nowMs })
  stands.push(stand)
  return stand
}
async function ask(
  stand: RelayStand,
  {
    owner = stranger(),
    ip = '198.51.100.7',
    ...more
  }: { owner?: Address; ip?: string; ownerSignature?: Hex; deadline?: number } = {},
) {
  const res = await fetch(`${stand.url}/api/proxy`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ chainId, owner, tokenIn: lyingToken, amountIn: '1', ...more }),
  })
  const body = (await res.json()) as { code?: string; txHash?: Hex; error?: string }
  return { status: res.status, code: body.code, txHash: body.txHash, headers: res.headers }
}
const factory = chain.manifest.proxyFactory as Address
const order = (owner: Address, deadline: number) =>
  ({
    domain: sponsorDomain(chainId, factory),
    types: sponsorTypes,
    primaryType: 'SponsoredDeploy',
    message: { owner, deadline: BigInt(deadline) },
  }) as const
const inMinutes = (minutes: number) => Math.floor(nowMs / 1_000) + minutes * 60
async function signed(deadline = inMinutes(10)) {
  const account = privateKeyToAccount(generatePrivateKey())
  await giveNative(rpc, account.address)
  const ownerSignature = await account.signTypedData(order(account.address, deadline))
  return { owner: account.address, ownerSignature, deadline }
}

s('counts a /24 and a /64 as one network [relay/networks]', () => {
  assert.is(networkOf('198.51.100.7'), '198.51.100.0/24')
  assert.is(networkOf('::ffff:198.51.100.9'), '198.51.100.0/24')
  assert.is(networkOf('2001:db8:1:2:3::9'), '2001:db8:1:2::/64')
})

s('asks nothing by default [relay/admission-off]', async () => {
  const stand = await open({})
  for (let at = 0; at < 3; at++) assert.is((await ask(stand)).status, 200)
})

s(
  'sponsors so many new deployments per network and hour, and gates answer as ever [relay/network-cap]',
  async () => {
    const stand = await open({ maxNewPerNetwork: 2 })
    const owner = stranger()
    const first = await ask(stand, { owner })
    assert.is(first.status, 200)
    assert.is((await ask(stand, { ip: '198.51.100.8' })).status, 200)
    const third = await ask(stand, { ip: '198.51.100.9' })
    assert.equal([third.status, third.code], [429, 'network_cap_reached'])
    assert.ok(Number(third.headers.get('retry-after')) > 3_500)
    // A pending owner is told of its transaction, and one with a proxy of its proxy.
    const again = await ask(stand, { owner })
    assert.is(again.status, 200)
    // What a gate refuses takes nothing from the network.
    for (let at = 0; at < 3; at++)
      assert.is(
        (await ask(stand, { owner: ownerAt(at, 'penniless'), ip: '203.0.113.1' })).code,
        'no_native_balance',
      )
    assert.is((await ask(stand, { ip: '203.0.113.1' })).status, 200)
    assert.is((await ask(stand, { ip: '203.0.113.2' })).status, 200)
    assert.is((await ask(stand, { ip: '203.0.113.3' })).status, 429)
    nowMs += 3_600_001
    assert.is((await ask(stand, { ip: '203.0.113.3' })).status, 200)
  },
)

s('counts at once and by many the same', async () => {
  const stand = await open({ maxNewPerNetwork: 3 })
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(stand)))
  assert.is(answers.filter(({ status }) => status === 200).length, 3)
  assert.is(answers.filter(({ code }) => code === 'network_cap_reached').length, 9)
})

s(
  'serves owners who sign, and nobody else, where that is required [relay/signed-only]',
  async () => {
    const stand = await open({ ownerSignature: 'required' })
    const unsigned = await ask(stand)
    assert.equal([unsigned.status, unsigned.code], [400, 'owner_signature_required'])
    assert.is((await ask(stand, await signed())).status, 200)
    const other = await signed()
    const stolen = await ask(stand, { ...other, owner: stranger() })
    assert.equal([stolen.status, stolen.code], [400, 'owner_signature_invalid'])
    for (const minutes of [-1, 61])
      assert.is(
        (await ask(stand, await signed(inMinutes(minutes)))).code,
        'owner_signature_invalid',
      )
    const { owner, ownerSignature } = await signed()
    assert.is((await ask(stand, { owner, ownerSignature })).code, 'owner_signature_invalid')
    assert.is(
      (await ask(stand, { ...other, ownerSignature: '0x1234' })).code,
      'owner_signature_invalid',
    )
  },
)

s('keeps a share of the hour for owners who sign [relay/signed-share]', async () => {
  const stand = await open(
    { ownerSignature: 'preferred', signedSharePercent: 50 },
    { maxDeploysPerHour: 4 },
  )
  assert.is((await ask(stand)).status, 200)
  assert.is((await ask(stand)).status, 200)
  const third = await ask(stand)
  assert.equal([third.status, third.code], [429, 'unsigned_share_exhausted'])
  assert.is((await ask(stand, await signed())).status, 200)
  assert.is((await ask(stand, await signed())).status, 200)
  // Gate 9 stands over all of it, in its own words.
  assert.is((await ask(stand, await signed())).code, 'deploy_cap_reached')
  assert.is((await ask(stand)).code, 'deploy_cap_reached')
})

s(
  'knows the signature of a contract, deployed or not yet [strangers/contract-signature]',
  async () => {
    const wallets = compileSolidity(
      `contract Wallet {
      address immutable signer;
      constructor(address s) { signer = s; }
      function isValidSignature(bytes32 hash, bytes calldata sig) external view returns (bytes4) {
        return ecrecover(hash, uint8(sig[64]), bytes32(sig[:32]), bytes32(sig[32:64])) == signer ? bytes4(0x1626ba7e) : bytes4(0);
      }
    }
    contract Wallets {
      function create(address s) external returns (address) { return address(new Wallet{salt: bytes32(0)}(s)); }
      function predict(address s) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(Wallet).creationCode, abi.encode(s)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), code)))));
      }
    }`,
      'Wallets',
    )
    const stand = await open({ ownerSignature: 'required' })
    const { client } = stand.client
    const account = privateKeyToAccount(generatePrivateKey())
    await giveNative(rpc, account.address, 10n ** 18n)
    const sender = createWalletClient({
      account,
      chain: client.chain,
      transport: http(chain.rpcUrl),
    })
    const { contractAddress: address } = await waitForReceipt({
      rpcUrl: chain.rpcUrl,
      hash: await sender.deployContract({ ...wallets, args: [] }),
    })
    if (!address) throw new Error('no factory of wallets')
    const { abi } = wallets
    const owner = (await readContract(client, {
      address,
      abi,
      functionName: 'predict',
      args: [account.address],
    })) as Address
    await giveNative(rpc, owner)
    const deadline = inMinutes(10)
    const signature = await account.signTypedData(order(owner, deadline))
    const data = encodeFunctionData({ abi, functionName: 'create', args: [account.address] })
    const early = serializeErc6492Signature({ address, data, signature })
    assert.is(
      (await ask(stand, { owner, ownerSignature: signature, deadline })).code,
      'owner_signature_invalid',
    )
    assert.is((await ask(stand, { owner, ownerSignature: early, deadline })).status, 200)
    const later = await open({ ownerSignature: 'required' })
    const hash = await sender.sendTransaction({ to: address, data })
    await waitForReceipt({ rpcUrl: chain.rpcUrl, hash })
    const other = await ask(later, { owner, ownerSignature: signature, deadline })
    assert.is(other.status, 200)
  },
)

s.run()
