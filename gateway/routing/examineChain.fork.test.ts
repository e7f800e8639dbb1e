import { type Address, type Hex, parseAbi } from 'viem'
import { compileImpostor } from '../../fixtures/chains/compileImpostor.ts'
import { startFaultProxy } from '../../fixtures/chains/faultProxy.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { worldAddress } from '../../fixtures/world/parts/builder.ts'
import { compileContracts, findArtifact } from '../../fixtures/world/parts/compile.ts'
import { getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { cacheDir } from '../runtime/cacheDir.ts'
import { type ChainExamination, examineChain } from './examineChain.ts'
import { type SwapStand, startSwapStand } from './testing/swapStand.ts'

const s = suite('first contact with a chain')
const stands = await Promise.all([8453, 42161].map(startSwapStand))
s.after(async () => {
  await Promise.all(stands.map((stand) => stand.close()))
})

/** Examines a chain by its rows, as far as the world has their contracts. */
async function prepare({ chainId, chainClient, manifest, rpc }: SwapStand) {
  const chain = getChain(chainId)
  if (!chain) throw new Error('the chain is built in')
  const names = new Set(manifest.dexes.map(({ name }) => name))
  const hasCode = async (at: Address | undefined) =>
    at !== undefined && (await rpc('eth_getCode', at, 'latest')) !== '0x'
  const dexes = await Promise.all(
    chain.dexes
      .filter(({ name }) => names.has(name))
      .map(async ({ earlierFactories = [], router, ...row }) => {
        const there = await Promise.all(earlierFactories.map(hasCode))
        return {
          ...row,
          earlierFactories: earlierFactories.filter((_, index) => there[index]),
          router: (await hasCode(router)) ? router : undefined,
        }
      }),
  )
  return () => examineChain(chainClient, { chain, dexes })
}
const examinations = await Promise.all(stands.map(prepare))

const wrongIn = ({ findings }: ChainExamination) =>
  findings
    .filter(({ verdict }) => verdict === 'missing' || verdict === 'different')
    .map(({ dex, check, verdict }) => `${dex} ${check} ${verdict}`)

for (const [index, examine] of examinations.entries())
  s(`finds every exchange of chain ${index} as its row says [21/doctor-world]`, async () => {
    const found = await examine()
    assert.equal(wrongIn(found), [])
    for (const check of ['code', 'pools', 'price', 'swap']) {
      const looks = found.findings.filter((one) => one.check === check)
      const right = looks.filter(({ verdict }) => verdict === 'right')
      assert.ok(right.length * 4 >= looks.length * 3, `${check}: ${right.length}/${looks.length}`)
    }
  })

s(
  'takes no answer of odd shape for code, nor a row of the world for one of the chain [21/doctor-lies]',
  async () => {
    const [, stand] = stands
    if (!stand) throw new Error('two stands')
    const chain = getChain(stand.chainId)
    const optional = chain?.dexes.filter(({ isOptional }) => isOptional) ?? []
    for (const { factory } of optional) await stand.rpc('anvil_setCode', factory, '0x')
    const proxy = await startFaultProxy({ target: stand.rpcUrl })
    const chainClient = createChainClient({
      chain: stand.chainClient.chain,
      rpcUrls: [proxy.rpcUrl],
    })
    try {
      const examine = await prepare({ ...stand, chainClient })
      const creates = ({ params }: { readonly params?: unknown }) =>
        Array.isArray(params) && params[0]?.to === undefined && params[0]?.data !== undefined
      proxy.lie({
        matches: (call) =>
          call.method === 'eth_getCode' || (call.method === 'eth_call' && creates(call)),
        tell: () => null,
      })
      const found = await examine()
      assert.equal(wrongIn(found), [])
      for (const { check, verdict } of found.findings)
        if (check === 'code' || check === 'swap') assert.is(verdict, 'unknown')
    } finally {
      chainClient.close()
      await proxy.close()
    }
  },
)

const reverting = compileImpostor('if (msg.sig == 0x128acb08) revert("paused");')
const pairAbi = parseAbi(['function sync()'])

s('names each of six differences, and nothing else [21/doctor-planted]', async () => {
  const [stand] = stands
  const [examine] = examinations
  if (!stand || !examine) throw new Error('two stands')
  const { rpc, builder, manifest } = stand
  const chain = getChain(stand.chainId)
  const rowOf = (name: string) => {
    const row = chain?.dexes.find((dex) => dex.name === name)
    if (!row) throw new Error(name)
    return row
  }
  const before = await examine()
  const deepestOf = (name: string) => {
    const { found = '' } =
      before.findings.find(({ dex, check }) => dex === name && check === 'pools') ?? {}
    return `0x${found.split('deepest 0x')[1]}` as Address
  }
  const setCode = (at: Address | undefined, code: Hex) => rpc('anvil_setCode', at, code)
  await setCode(rowOf('uniswap-v2').router, '0x')
  await setCode(rowOf('pancakeswap-v2').factory, '0x')
  // Burns all gas, answers with ones.
  await setCode(rowOf('curve-plain').factory, '0xfe')
  await setCode(rowOf('aerodrome-v2').factory, '0x6001600052600160205260406000f3')
  const skewed = deepestOf('sushiswap-v2')
  const usdc = manifest.tokens['USDC']?.address
  const { abi } = findArtifact(compileContracts({ cacheDir: cacheDir() }), 'Seeder')
  const pay = { to: manifest.seeder.address, abi, functionName: 'pay' }
  await builder.write({ ...pay, args: [usdc, [skewed], 5_000n * 10n ** 6n] })
  await builder.write({ to: skewed, abi: pairAbi, functionName: 'sync' })
  const refusing = deepestOf('uniswap-v3')
  const truth = worldAddress('true pool')
  await setCode(truth, (await rpc('eth_getCode', refusing, 'latest')) as Hex)
  await builder.deployAt({ address: refusing, artifact: reverting, args: [truth] })
  assert.equal(wrongIn(await examine()).sort(), [
    'aerodrome-v2 pools different',
    'curve-plain pools different',
    'pancakeswap-v2 code missing',
    'pancakeswap-v2 pools missing',
    'sushiswap-v2 price different',
    'uniswap-v2 code missing',
    'uniswap-v3 swap different',
  ])
})
s.run()
