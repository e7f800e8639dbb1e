import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { signingPath } from '../../http/pageDoor.ts'
import { reply } from '../../http/reply.ts'
import { address, named, oneOf, withDefault } from '../../http/schemas.ts'
import { usualInfo } from '../../wallet/announceWallet.ts'
import { announceInPage } from './pageScript.ts'
import { createPageWallets, type PageWalletDeps } from './pageWallets.ts'

const chainId = Type.Integer({ minimum: 1 })
const longestDelayMs = 600_000
const switches = named(
  'WalletSwitches',
  Type.Partial(
    Type.Object({
      answer: oneOf(['approve', 'reject']),
      delayMs: Type.Integer({ minimum: 0, maximum: longestDelayMs }),
      isConnected: Type.Boolean(),
      hasBatches: Type.Boolean({ description: 'Whether it knows EIP-5792' }),
      delegateTo: address({ description: 'EIP-7702, with the next transaction' }),
    }),
    { additionalProperties: false },
  ),
)
const question = named(
  'WalletQuestion',
  Type.Object({
    session: Type.String({ minLength: 16, maxLength: 64, description: 'Of one loaded page' }),
    account: withDefault(
      Type.Integer({ minimum: 0, maximum: 9, default: 0, description: "Of the lab's accounts" }),
    ),
    chainId: Type.Optional(chainId),
    request: Type.Optional(
      Type.Object(
        { method: Type.String(), params: Type.Optional(Type.Unknown()) },
        { description: 'As of EIP-1193' },
      ),
    ),
    set: Type.Optional(switches),
    switchTo: Type.Optional(chainId),
  }),
)
const answer = named(
  'WalletAnswer',
  Type.Object({
    events: Type.Array(Type.Object({ name: Type.String(), value: Type.Optional(Type.Unknown()) }), {
      description: "Since the page's last question",
    }),
    result: Type.Optional(
      Type.Unknown({ description: 'Without a question: what was asked so far' }),
    ),
    error: Type.Optional(
      Type.Object({
        code: Type.Integer(),
        message: Type.String(),
        data: Type.Optional(Type.Unknown()),
      }),
    ),
  }),
)

/** A wallet for pages under test by a script tag: what the page gets is its voice, what signs stays here. */
export function walletEndpoints(deps: PageWalletDeps): readonly Endpoint[] {
  const wallets = createPageWallets(deps)
  const script = `(${announceInPage})(${JSON.stringify(usualInfo)})\n`
  return [
    endpoint({
      method: 'get',
      path: '/lab/wallet.js',
      summary:
        'A wallet that pages under test discover: <script crossorigin src="…/lab/wallet.js">',
      description:
        'With `?account=3` it has that account of the lab, with `?chainId=42161` it starts there.',
      output: Type.String(),
      auth: 'none',
      examples: { output: '(function announceInPage(…) {…})(…)' },
      handle: async () =>
        reply({ body: script, headers: { 'content-type': 'text/javascript; charset=utf-8' } }),
    }),
    endpoint({
      method: 'post',
      path: signingPath,
      summary: 'What such a page asks of its wallet; for pages that the lab trusts',
      input: question,
      output: answer,
      auth: 'none',
      examples: {
        input: { session: '5c0c2f4e-8d1b-4b52', account: 0, request: { method: 'eth_chainId' } },
        output: { events: [], result: '0x2105' },
      },
      handle: ({ body }) => wallets.ask(body),
    }),
  ]
}
