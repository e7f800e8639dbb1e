import { assert, suite } from '../../fixtures/test.ts'
import { startRoutingStand } from './testing/routingStand.ts'

/** Status, what is asked, and the field that the refusal must name. */
type Row = readonly [status: number, body: unknown, field?: string]

const stand = await startRoutingStand()
const { chainId, token } = stand
const s = suite('refusals of the routing service')
s.after(() => stand.close())

const [weth, usdc] = [token('WETH'), token('USDC')]
const nobody = '0x00000000000000000000000000000000000000cc'
const wrongChecksum = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'
const tooLarge = (2n ** 256n).toString()
const words = /^[a-z0-9].*[^.\n]$/

async function check(path: string, rows: readonly Row[]): Promise<void> {
  const { charged } = stand.ledger
  for (const [status, body, field] of rows) {
    const label = JSON.stringify(body).slice(0, 200)
    const refusal =
      typeof body === 'string' && path.startsWith('/quote_exact')
        ? await stand.refusalOf(`${path}${body}`)
        : await stand.refusalOf(path, body)
    assert.is(refusal.status, status, label)
    assert.match(refusal.error, words, label)
    if (field === undefined) continue
    assert.is(refusal.details?.[0]?.field, field, label)
    assert.ok(refusal.error.startsWith(`${field} `), `${refusal.error} names its field`)
  }
  assert.is(stand.ledger.charged, charged)
}

/** The same mistakes in each place where an address, an amount or basis points stand. */
const badAddresses = [
  'WETH',
  weth.replace('4200', '420G'),
  wrongChecksum,
  '',
  '0x',
  null,
  7,
  [],
  {},
]
const badAmounts = ['0', '-1', '1.5', '1e18', '0x10', '', ' 1', '01', tooLarge, 1, 1.5, null, []]
const badBps = [-1, 10_001, 0.5, '50', null, 65_536]
const spoil = <body extends object>(body: body, field: string, values: readonly unknown[]): Row[] =>
  values.map((value) => [400, { ...body, [field]: value }, field])

s(
  'are one sentence with the field for every bad quote, and charge nothing [routing/bad-quote]',
  async () => {
    const body = { chain_id: chainId, token_in: weth, token_out: usdc, amount_in: '1000000' }
    await check('/quote', [
      [400, {}, 'chain_id'],
      [400, { chain_id: chainId }, 'token_in'],
      [400, { chain_id: chainId, token_in: weth }, 'token_out'],
      [400, { chain_id: chainId, token_in: weth, token_out: usdc }, 'amount_in'],
      ...spoil(body, 'chain_id', [1, '8453', 8453.5, null, -8453]),
      ...spoil(body, 'token_in', badAddresses),
      ...spoil(body, 'token_out', [...badAddresses, weth, `0x${weth.slice(2).toUpperCase()}`]),
      ...spoil(body, 'amount_in', badAmounts),
      ...spoil(body, 'slippage_bps', badBps),
      ...spoil(body, 'taker', ['0x12', null, 5]),
      ...spoil(body, 'allow_partial', ['yes', 1, null]),
      ...spoil(body, 'verify', ['true', 0]),
      [404, { ...body, token_out: nobody }],
      [404, { ...body, amount_in: (2n ** 256n - 1n).toString() }],
      [400, '{"chain_id":'],
      [400, `{"chain_id":${chainId},"amount_in":NaN}`],
      [400, '[]'],
      [400, 'null'],
      [413, `{"x":"${'x'.repeat(1_000_000)}"}`],
    ])
  },
)

s('are one sentence with the field for every bad position [routing/bad-position]', async () => {
  const leg = { token: weth, amount: '1000000000000000' }
  const body = { chain_id: chainId, target_token: usdc, legs: [leg] }
  const inLeg = (field: string, values: readonly unknown[], rest: object = leg): Row[] =>
    values.map((value) => [
      400,
      { ...body, legs: [{ ...rest, [field]: value }] },
      `legs[0].${field}`,
    ])
  const valued = { token: weth, value_usd: 5, max_amount: '9' }
  const raw = (value: string) =>
    `{"chain_id":${chainId},"target_token":"${usdc}","legs":[{"token":"${weth}","value_usd":${value},"max_amount":"1"}]}`
  await check('/quote_lp_disposal', [
    [400, {}, 'chain_id'],
    ...spoil(body, 'chain_id', [1, '8453']),
    ...spoil(body, 'target_token', badAddresses),
    ...spoil(body, 'legs', [[], Array.from({ length: 9 }, () => leg), {}, 'legs', null]),
    ...spoil(body, 'slippage_bps', badBps),
    ...spoil(body, 'amount_haircut_bps', badBps),
    ...spoil(body, 'routing_mode', ['fast', '', null, 1]),
    ...spoil(body, 'allow_partial', ['yes']),
    ...spoil(body, 'allow_unbounded_estimate', ['yes']),
    ...spoil(body, 'taker', ['0x12']),
    ...inLeg('token', badAddresses),
    ...inLeg('amount', badAmounts),
    ...inLeg('max_amount', badAmounts, valued),
    ...inLeg('value_usd', [-5, 0, '5', null, 1e16], valued),
    [400, { ...body, legs: [7] }, 'legs[0]'],
    [400, { ...body, legs: [{ token: weth }] }, 'legs[0].value_usd'],
    [400, { ...body, legs: [{ token: weth, value_usd: 5 }] }, 'legs[0].max_amount'],
    [400, { ...body, legs: [{ ...valued, token: nobody }] }, 'legs[0].value_usd'],
    // Nothing is deep enough to price so much of it.
    [
      400,
      { ...body, legs: [leg, { ...valued, token: token('AERO'), value_usd: 1e12 }] },
      'legs[1].value_usd',
    ],
    [400, raw('1e400'), 'legs[0].value_usd'],
    [400, raw('-1e400'), 'legs[0].value_usd'],
    [400, raw('NaN')],
    [404, { ...body, legs: [leg, { token: nobody, amount: '1' }] }],
  ])
})

s(
  'are one sentence with the field for every bad exact output [routing/bad-exact-output]',
  async () => {
    const good = {
      chain_id: chainId,
      token_in: weth,
      token_out: usdc,
      target_output: 5,
      max_input: 9,
    }
    const query = (change: Record<string, unknown>) => {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries({ ...good, ...change }))
        if (value !== undefined) search.append(name, String(value))
      return `?${search}`
    }
    const row = (field: string, values: readonly unknown[]): Row[] =>
      values.map((value) => [400, query({ [field]: value }), field])
    const texts = (values: readonly unknown[]) =>
      values.filter((value) => typeof value === 'string')
    await check('/quote_exact_output', [
      [400, '', 'chain_id'],
      ...row('chain_id', [undefined, 1, '0x2105', '8453.0', '8.453e3', ' 8453']),
      ...row('token_in', [undefined, ...texts(badAddresses)]),
      ...row('token_out', [undefined, weth, ...texts(badAddresses)]),
      ...row('target_output', [undefined, ...texts(badAmounts)]),
      ...row('max_input', [undefined, ...texts(badAmounts)]),
      ...row('slippage_bps', [-1, 10_001, 0.5, 'fifty', '0x10', '1e2']),
      ...row('executable_only', ['yes', '1', '']),
      ...row('verify', ['yes']),
      ...row('taker', ['0x12']),
      [400, `${query({})}&token_in=${weth}`, 'token_in'],
      [404, query({ token_out: nobody })],
    ])
  },
)

s('are one sentence with the field for every bad comparison [routing/bad-comparison]', async () => {
  const candidate = {
    providerId: 'one',
    target: usdc,
    data: '0x',
    value: '0',
    inputToken: weth,
    outputToken: usdc,
    inputAmount: '1',
    approveTarget: usdc,
    quotedOutput: '1',
  }
  const body = { chainId, candidates: [candidate] }
  const within = (field: string, values: readonly unknown[]): Row[] =>
    values.map((value) => [
      400,
      { ...body, candidates: [candidate, { ...candidate, [field]: value }] },
      `candidates[1].${field}`,
    ])
  await check('/compare/simulate', [
    [400, {}, 'chainId'],
    ...spoil(body, 'chainId', [1, '8453', null]),
    ...spoil(body, 'candidates', [[], Array.from({ length: 33 }, () => candidate), {}, null]),
    ...within('providerId', ['', 7, 'x'.repeat(101)]),
    ...within('target', badAddresses),
    ...within('data', ['', '0x1', '0xzz', null]),
    ...within('value', ['', '-1', '0x', '1.5', tooLarge, 1]),
    ...within('inputToken', badAddresses),
    ...within('outputToken', badAddresses),
    ...within('inputAmount', badAmounts),
    ...within('approveTarget', ['0x12']),
    ...within('quotedOutput', ['-1', '1.5', '', tooLarge]),
  ])
})

s('are one sentence with the field for every bad pool', async () => {
  for (const [path, field] of [
    [`/api/pool/1/${weth}`, 'chain_id'],
    [`/api/pool/${chainId}/${wrongChecksum}`, 'address'],
    [`/api/pool/${chainId}/0x12`, 'address'],
  ] as const) {
    const { status, details } = await stand.refusalOf(path)
    assert.equal([status, details?.[0]?.field], [400, field])
  }
})

s.run()
