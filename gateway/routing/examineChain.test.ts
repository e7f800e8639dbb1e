import {
  type Address,
  decodeFunctionData,
  encodeDeployData,
  encodeFunctionResult,
  type Hex,
} from 'viem'
import { probeLens, swapExecutor } from '../../contracts/artifacts.ts'
import { createMainnet } from '../../fixtures/nodes/mainnet/createMainnet.ts'
import type { NodeSource, SourceCall } from '../../fixtures/nodes/source/nodeSource.ts'
import { startNode } from '../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { createChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dex.ts'
import { examineChain } from './examineChain.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('a chain as it is first met')
const whole = createMainnet({ chainId: 8453, pools: 120, seed: 7 })
/** With pools of that exchange alone, and some like it. */
const small = createMainnet({ chainId: 8453, pools: 40, seed: 7, shares: [['uniswap_v2', 1]] })
const [row] = base.dexes.filter(({ protocol }) => protocol === 'uniswap_v2')
if (!row) throw new Error('Base has a Uniswap v2')
const dex: Dex = row
const { router: _, ...routerless } = dex

type Answer = Awaited<ReturnType<NodeSource['ask']>>[number]

const examine = (...dexes: readonly Dex[]) => examineWhere(() => undefined, dexes)

/** The same where the node says otherwise. */
async function examineWhere(
  says: (call: SourceCall) => Answer | undefined,
  dexes: readonly Dex[],
  { chain = base, mainnet = whole } = {},
) {
  const upstream: NodeSource = {
    ...mainnet,
    async ask(calls) {
      const answers = await mainnet.ask(calls)
      return calls.map((call, index) => says(call) ?? (answers[index] as Answer))
    },
  }
  await using node = await startNode({ profile: 'own-reth', upstream, speed: 100 })
  const chainClient = createChainClient({ chain: base, rpcUrls: [node.url] })
  try {
    const { blockNumber, findings } = await examineChain(chainClient, { chain, dexes })
    assert.is(blockNumber, BigInt(mainnet.head().number))
    return findings.map(({ dex: name, check, verdict, found }) => ({
      at: `${name} ${check}`,
      verdict,
      found,
    }))
  } finally {
    chainClient.close()
  }
}

s(
  'says of each row whether its contracts are there, and its pools answer [teeth/examine]',
  async () => {
    const found = await examine(routerless)
    const of = (check: string) => found.find(({ at }) => at === `${dex.name} ${check}`)
    assert.equal([of('code')?.verdict, of('pools')?.verdict], ['right', 'right'])
    assert.match(of('code')?.found ?? '', /^\d contracts$/)
    assert.match(of('pools')?.found ?? '', /^(\d+) of \1 answer, deepest 0x[0-9a-f]{40}$/)
    // Nobody else trades its pairs, and this node runs no code.
    assert.equal([of('price')?.verdict, of('swap')?.verdict], ['unknown', 'unknown'])
    assert.match(of('swap')?.found ?? '', /^no swap could be tried/)
  },
)
s('names what is missing, and passes over rows of the offline world [teeth/examine]', async () => {
  const ghost = { ...routerless, name: 'ghost', factory: fakeAddress(1) }
  const blind = { ...dex, name: 'blind', router: fakeAddress(2) }
  const found = await examine(ghost, blind, { ...ghost, name: 'offline', isOptional: true })
  const told = found.map(({ at, verdict }) => [at, verdict].join(': '))
  assert.ok(
    told.includes('ghost code: missing') && told.includes('ghost pools: missing'),
    `${told}`,
  )
  assert.ok(told.includes('blind code: missing') && told.includes('blind pools: right'), `${told}`)
  assert.not(told.some((line) => line.startsWith('offline')))
  const [code] = found
  assert.is(code?.found, `no code at factory ${fakeAddress(1)}`)
  assert.ok(found.some(({ found: words }) => words === `no code at router ${fakeAddress(2)}`))
})

const lookOf = (found: Awaited<ReturnType<typeof examine>>, at: string) => {
  const look = found.find((one) => one.at === at)
  return [look?.verdict, look?.found]
}
s(
  'says nothing of what its node does not tell of, nor takes other code for it [teeth/examine]',
  async () => {
    const answers: readonly Answer[] = [
      { result: '0x0' },
      { result: null },
      { result: 7 },
      { error: { code: -32_000, message: 'not today' } },
      { result: '0x00' },
    ]
    const factories = answers.map((_, n) => fakeAddress(10 + n))
    const rows = factories.map((factory, n) => ({ ...routerless, name: `ghost ${n}`, factory }))
    const found = await examineWhere(
      ({ method, params }) => {
        const place = factories.indexOf(String(params[0]).toLowerCase() as Address)
        return method === 'eth_getCode' ? answers[place] : undefined
      },
      [...rows, { ...routerless, name: 'other', factory: base.usdc.address }],
      { mainnet: small },
    )
    for (const [n, factory] of factories.slice(0, -1).entries()) {
      const unsaid = `the node does not say what is at factory ${factory}`
      assert.equal(lookOf(found, `ghost ${n} code`), ['unknown', unsaid])
      assert.is(lookOf(found, `ghost ${n} pools`)[0], 'unknown')
    }
    assert.is(lookOf(found, 'ghost 4 code')[0], 'right')
    assert.equal(lookOf(found, 'other code'), ['right', '1 contracts'])
    const [verdict, words] = lookOf(found, 'other pools')
    assert.is(verdict, 'different')
    assert.match(words ?? '', /^0 of 0 answer/)
    // Of what is not there nobody looks for a price.
    assert.is(found.length, 2 * (rows.length + 1))
  },
)
s('looks at no price of tokens that it does not know [teeth/examine]', async () => {
  const found = await examineWhere(() => undefined, [routerless], {
    mainnet: small,
    chain: { ...base, tokens: base.tokens.slice(0, 1) },
  })
  assert.equal(
    found.map(({ at, verdict }) => [at, verdict].join(': ')),
    [`${dex.name} code: right`, `${dex.name} pools: right`],
  )
})

/** What becomes of small swaps through an executor that is laid over its place: 1 works, 2 is refused. */
async function swapWhere(outcomes: readonly (0 | 1 | 2)[]) {
  const tried: { readonly holders: readonly Address[]; readonly tokenIn: Address; data: Hex }[] = []
  const laid = '0x60c0de'
  const creation = encodeDeployData({ ...swapExecutor, args: [base.wrappedNative] })
  const found = await examineWhere(
    ({ method, params }) => {
      if (method !== 'eth_call') return undefined
      const [call, , overrides = {}] = params as [{ data?: Hex; gasPrice?: Hex }, unknown, object?]
      if (call.data === creation) return { result: laid }
      const codes = Object.values(overrides).map(({ code }: { readonly code?: Hex }) => code)
      if (!codes.includes(laid) || !codes.includes(probeLens.deployedBytecode)) return undefined
      assert.is(call.gasPrice, undefined)
      const { args } = decodeFunctionData({ abi: probeLens.abi, data: call.data ?? '0x' })
      tried.push((args as unknown as readonly [(typeof tried)[number]])[0])
      const result = [outcomes[tried.length - 1] ?? 0, 0n] as const
      return {
        result: encodeFunctionResult({ abi: probeLens.abi, functionName: 'probe', result }),
      }
    },
    [routerless],
    { mainnet: small },
  )
  return { swap: lookOf(found, `${dex.name} swap`), tried }
}
s(
  'says whether a pool of a row swaps, by the first that can be tried [teeth/examine]',
  async () => {
    const poolIn = (words: string | undefined) => /0x[0-9a-f]{40}/.exec(words ?? '')?.[0] ?? 'none'
    const refused = await swapWhere([2])
    assert.is(refused.tried.length, 1)
    assert.equal(refused.swap, [
      'different',
      `a small swap through ${poolIn(refused.swap[1])} was refused`,
    ])
    // Of one token nobody may be known who has it, of another somebody.
    const later = await swapWhere([0, 1])
    assert.is(later.tried.length, 2)
    const pool = poolIn(later.swap[1])
    assert.equal(later.swap, ['right', `a small swap through ${pool}`])
    assert.ok(later.tried[1]?.data.includes(pool.slice(2)))
  },
)
s.run()
