import { randomBytes } from 'node:crypto'
import {
  type Address,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  toHex,
  zeroAddress,
} from 'viem'
import { userProxyFactoryV6, userProxyV6 } from '../../contracts/artifacts.ts'
import { startAnvil } from '../../fixtures/anvil.ts'
import { createRpc } from '../../fixtures/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { predictProxy } from './predictProxy.ts'

const s = suite('predictProxy')
const anvil = await startAnvil()
s.after(() => anvil.close())

const rpc = createRpc(anvil.rpcUrl)
const { abi } = userProxyFactoryV6
const [from] = (await rpc('eth_accounts')) as readonly Address[]
if (!from) throw new Error('anvil has no account')

async function send(transaction: { readonly to?: Address; readonly data: Hex }) {
  return (await rpc('eth_sendTransactionSync', { from, ...transaction })) as {
    readonly contractAddress: Address | null
    readonly status: Hex
    readonly gasUsed: Hex
  }
}
async function create(data: Hex): Promise<Address> {
  const { contractAddress } = await send({ data })
  if (!contractAddress) throw new Error('not deployed')
  return getAddress(contractAddress)
}
const implementation = await create(userProxyV6.bytecode)
const factory = await create(
  encodeDeployData({ abi, bytecode: userProxyFactoryV6.bytecode, args: [implementation] }),
)

async function ask(functionName: 'predict' | 'proxyOf', owner: Address): Promise<Address> {
  const data = encodeFunctionData({ abi, functionName, args: [owner] })
  const result = (await rpc('eth_call', { to: factory, data }, 'latest')) as Hex
  return decodeFunctionResult({ abi, functionName, data: result })
}
function deploy(owner: Address) {
  return send({
    to: factory,
    data: encodeFunctionData({ abi, functionName: 'deploy', args: [owner] }),
  })
}
const randomOwner = () => getAddress(toHex(randomBytes(20)))
const edges = ['0x0000000000000000000000000000000000000001', `0x${'ff'.repeat(20)}`] as const

s('agrees with the factory for 500 random owners', async () => {
  const owners = [...edges, ...Array.from({ length: 498 }, randomOwner)]
  const answers = await Promise.all(owners.map((owner) => ask('predict', owner)))
  assert.equal(
    owners.map((owner) => predictProxy({ factory, implementation, owner })),
    answers,
  )
})

s('names the address where the proxy then stands, whoever asks for it twice', async () => {
  for (const owner of [...edges, randomOwner(), randomOwner(), randomOwner()]) {
    const predicted = predictProxy({ factory, implementation, owner })
    assert.is(await ask('proxyOf', owner), zeroAddress)
    const first = await deploy(owner)
    assert.is(first.status, '0x1')
    assert.ok(Number(first.gasUsed) <= 80_000, `deploy took ${Number(first.gasUsed)} gas`)
    assert.is((await deploy(owner)).status, '0x1')
    assert.is(await ask('proxyOf', owner), predicted)
  }
})

s.run()
