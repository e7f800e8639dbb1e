import { randomBytes } from 'node:crypto'
import { assert, suite } from '../fixtures/test.ts'
import { startTestLab } from './lab/testing/testLab.ts'

/**
 * Every endpoint with a body, every way to get a field wrong: the documented status, one sentence,
 * nothing charged, nothing broadcast, no 5xx. Run against the whole gateway over HTTP.
 */
const lab = await startTestLab()
const { services, apiKey, chains } = lab.manifest()
const bad = suite('bad input')
bad.after(async () => {
  await lab.down()
})

const chain = chains['8453']
if (!chain) throw new Error('the lab has no chain 8453')
const weth = chain.tokens['WETH']?.address ?? ''
const usdc = chain.tokens['USDC']?.address ?? ''
const account = chain.accounts[0]?.address ?? ''
const nobody = `0x${'12'.repeat(20)}`

type Json = Record<string, unknown>
type Field = 'chain' | 'address' | 'amount' | 'bps' | 'bytes' | 'text'
type Row = {
  readonly url: string
  readonly body: Json
  readonly fields: Readonly<Record<string, Field>>
  readonly optional?: readonly string[]
}

const candidate = {
  providerId: 'a',
  target: chain.executor,
  data: '0x12345678',
  value: '0',
  inputToken: weth,
  outputToken: usdc,
  inputAmount: '1000000',
  approveTarget: chain.executor,
  quotedOutput: '1',
}

const rows: readonly Row[] = [
  {
    url: `${services.routing}/quote`,
    body: { chain_id: 8453, token_in: weth, token_out: usdc, amount_in: '1000000' },
    fields: {
      chain_id: 'chain',
      token_in: 'address',
      token_out: 'address',
      amount_in: 'amount',
    },
  },
  {
    url: `${services.routing}/compare/simulate`,
    body: { chainId: 8453, candidates: [candidate] },
    fields: { chainId: 'chain' },
  },
  {
    url: `${services.routing}/auth/quota/claim`,
    body: { chain_id: 8453, tx_hash: `0x${'ab'.repeat(32)}` },
    fields: { chain_id: 'chain', tx_hash: 'bytes' },
  },
  {
    url: `${services.routing}/auth/challenge`,
    body: { address: account },
    fields: { address: 'address' },
  },
  {
    url: `${services.routing}/auth/register`,
    body: { address: account, nonce: 'ab'.repeat(16), signature: '0x12' },
    // A signature of the right form is judged after its nonce, which nobody asked for here.
    fields: { address: 'address', nonce: 'text' },
  },
  {
    url: `${services.meta}/quote`,
    body: {
      chainId: 8453,
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: '1000000',
      taker: account,
      slippageBps: 50,
    },
    fields: {
      chainId: 'chain',
      tokenIn: 'address',
      tokenOut: 'address',
      amountIn: 'amount',
      taker: 'address',
      slippageBps: 'bps',
    },
    optional: ['slippageBps'],
  },
  {
    url: `${services.relay}/api/proxy`,
    body: { chainId: 8453, owner: nobody, tokenIn: weth, amountIn: '1000000' },
    fields: { chainId: 'chain', owner: 'address', tokenIn: 'address', amountIn: 'amount' },
  },
]

const wrongEverywhere: readonly unknown[] = [null, true, [], {}, '', ' ', -1, 1.5, 'x'.repeat(300)]
const wrongChecksum = (address: string) =>
  address.replace(/[a-fA-F]/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
const wrongValues: Readonly<Record<Field, readonly unknown[]>> = {
  chain: [...wrongEverywhere, 1, 0, 10, '8453', 2 ** 53],
  address: [
    ...wrongEverywhere,
    '0x',
    '0x12',
    weth.slice(0, -1),
    `${weth}00`,
    wrongChecksum(chain.executor),
    `0x${',,'.repeat(20)}`,
  ],
  amount: [
    ...wrongEverywhere,
    '0',
    '-5',
    '1.5',
    '1e18',
    '0x10',
    '1,000',
    'NaN',
    '9'.repeat(79),
    String(2n ** 256n),
  ],
  bps: [...wrongEverywhere, 10_001, '50', 1e9],
  bytes: [...wrongEverywhere, '0x', '0xzz', 'abcd', 7],
  text: [null, true, [], {}, 5],
}

async function post(url: string, body: string | Buffer) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: new Uint8Array(Buffer.from(body)),
  })
  return { status: response.status, answer: (await response.json()) as Json }
}

function assertRefused(
  { status, answer }: Awaited<ReturnType<typeof post>>,
  expected: readonly number[],
  what: string,
) {
  assert.ok(expected.includes(status), `${what}: ${status} ${JSON.stringify(answer)}`)
  assert.type(answer['error'], 'string', what)
  assert.match(String(answer['error']), /^[^\n]{3,300}$/)
  assert.match(String(answer['code']), /^[a-z0-9_]+$/)
  assert.ok(answer['request_id'] ?? answer['requestId'], `${what}: no request id`)
}

async function readQuota() {
  const response = await fetch(`${services.routing}/auth/key-info`, {
    headers: { 'x-api-key': apiKey },
  })
  return ((await response.json()) as Json)['quota_remaining']
}
const readRelay = async () => (await fetch(`${services.relay}/api/intents?chainId=8453`)).json()

/** A valid body with one field gone or wrong. */
function mutations({ body, fields, optional = [] }: Row): readonly (readonly [string, Json])[] {
  return Object.entries(fields).flatMap(([field, kind]) => {
    const { [field]: _, ...without } = body
    return [
      ...(optional.includes(field) ? [] : [[`without ${field}`, without] as const]),
      ...wrongValues[kind].map(
        (value) => [`${field} = ${preview(value)}`, { ...body, [field]: value }] as const,
      ),
    ]
  })
}

const preview = (value: unknown) => String(JSON.stringify(value)).slice(0, 40)

for (const row of rows) {
  const path = row.url.replace(/^http:\/\/[^/]+/, '')
  const service = Object.entries(services).find(([, base]) => row.url.startsWith(base))?.[0]
  bad(
    `${service} ${path}: each field missing, mistyped or out of range is a 400 that names it`,
    async () => {
      const [quota, spent] = [await readQuota(), await readRelay()]
      for (const [what, body] of mutations(row)) {
        const refusal = await post(row.url, JSON.stringify(body))
        assertRefused(refusal, [400], `${path} ${what}`)
        const field = /^without (\S+)|^(\S+) =/.exec(what)?.slice(1).find(Boolean) ?? ''
        assert.match(JSON.stringify(refusal.answer), field, `${path} ${what}`)
      }
      assert.is(await readQuota(), quota, 'a refused request was charged')
      assert.equal(await readRelay(), spent, 'a refused request was broadcast')
    },
  )

  bad(
    `${service} ${path}: a body that is no JSON object is a 400, one too large a 413`,
    async () => {
      for (const text of ['', '{', 'null', '[]', '5', '"x"', '{"a":1}}', randomBytes(64), '\u0000'])
        assertRefused(await post(row.url, text), [400], `${path} ${preview(String(text))}`)
      const large = JSON.stringify({ ...row.body, extra: 'x'.repeat(1_048_576) })
      assertRefused(await post(row.url, large), [413], `${path} 1 MB`)
    },
  )
}

bad('refuses a token for itself', async () => {
  for (const [url, body] of [
    [`${services.routing}/quote`, { ...rows[0]?.body, token_out: weth.toLowerCase() }],
    [`${services.meta}/quote`, { ...rows[5]?.body, tokenOut: weth.toLowerCase() }],
  ] as const)
    assertRefused(await post(url, JSON.stringify(body)), [400], url)
})

bad('finds no route for an address that is no token, and charges nothing', async () => {
  const quota = await readQuota()
  const refusal = await post(
    `${services.routing}/quote`,
    JSON.stringify({ ...rows[0]?.body, token_in: nobody }),
  )
  assertRefused(refusal, [404], 'unknown token')
  assert.is(refusal.answer['error'], 'no executable route found')
  assert.is(await readQuota(), quota)
})

bad('answers 400 to candidates that are none, too many or broken', async () => {
  const url = `${services.routing}/compare/simulate`
  const lists: readonly unknown[] = [
    [],
    [{}],
    [null],
    'x',
    Array.from({ length: 33 }, () => candidate),
    ...Object.keys(candidate).map((field) => [{ ...candidate, [field]: { nested: true } }]),
    [{ ...candidate, data: '0x123' }],
    [{ ...candidate, target: '0x' }],
    [{ ...candidate, inputAmount: '0' }],
    [{ ...candidate, value: '-1' }],
  ]
  for (const candidates of lists)
    assertRefused(
      await post(url, JSON.stringify({ chainId: 8453, candidates })),
      [400],
      preview(candidates),
    )
})

bad('tells an unknown path from a wrong method, on every service', async () => {
  for (const base of Object.values(services)) {
    const unknown = await fetch(`${base}/nowhere`)
    assert.is(unknown.status, 404)
    assert.is(((await unknown.json()) as Json)['code'], 'not_found')
  }
  const wrong = await fetch(`${services.routing}/quote`)
  assert.is(wrong.status, 405)
  assert.match(wrong.headers.get('allow') ?? '', 'POST')
})

bad('refuses a missing, unknown or mistyped key the same way', async () => {
  const answers = await Promise.all(
    [undefined, 'x', `${apiKey.slice(0, -1)}!`, apiKey.toUpperCase()].map(async (key) => {
      const response = await fetch(`${services.routing}/quote`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : {}) },
        body: JSON.stringify(rows[0]?.body),
      })
      const { request_id: _, ...rest } = (await response.json()) as Json
      return { status: response.status, rest }
    }),
  )
  for (const answer of answers) assert.equal(answer, answers[0])
  assert.is(answers[0]?.status, 401)
})

bad.run()
