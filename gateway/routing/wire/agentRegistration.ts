import { type Static, Type } from 'typebox'
import { nameChains } from '../../chain/nameChains.ts'
import { named } from '../../http/schemas.ts'
import type { AgentRegistration } from '../registry.ts'

/** An identity: its number in a registry named `eip155:<chain id>:<address>`. */
const registration = named(
  'AgentIdentity',
  Type.Object({
    agentId: Type.Integer({ minimum: 0 }),
    agentRegistry: Type.String({ pattern: '^eip155:[1-9][0-9]*:0x[0-9a-fA-F]{40}$' }),
  }),
)

/** The registration file of ERC-8004, as of the text of 2026-01-25. */
export const agentRegistration = named(
  'AgentRegistration',
  Type.Object({
    type: Type.Literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
    name: Type.String({ minLength: 1 }),
    description: Type.String({ minLength: 1 }),
    image: Type.String({ pattern: '^(https://|data:image/)' }),
    services: Type.Array(
      named(
        'AgentService',
        Type.Object({
          name: Type.String(),
          endpoint: Type.String({ pattern: '^https?://' }),
          version: Type.Optional(Type.String()),
        }),
      ),
      { minItems: 1 },
    ),
    x402Support: Type.Boolean(),
    active: Type.Boolean(),
    registrations: Type.Array(registration),
    supportedTrust: Type.Array(Type.String()),
  }),
)

const image =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Cpath d=%22M8 4v8l8 6v10M24 4v8l-8 6%22 fill=%22none%22 stroke=%22black%22 stroke-width=%223%22/%3E%3C/svg%3E'

/** The revision of the Model Context Protocol that `forkyard mcp` speaks first. */
const mcpVersion = '2026-07-28'

export function fromAgent({
  serviceName,
  version,
  publicUrl,
  isQuotaSold = false,
  x402Support,
  active,
  registrations = [],
  mcpUrl,
}: {
  readonly serviceName: string
  readonly version: string
  /** As callers see it, without a slash at the end; never taken from a Host header. */
  readonly publicUrl: string
  /** Whether there is a contract to buy quota from, and so a document of the sale. */
  readonly isQuotaSold?: boolean | undefined
  /** Whether x402 payments are settled here. */
  readonly x402Support: boolean
  readonly active: boolean
  /** Of whoever minted the identity; an empty list claims none. */
  readonly registrations?: readonly AgentRegistration[] | undefined
  /** Where its operator serves `forkyard mcp --http`. */
  readonly mcpUrl?: string | undefined
}): Static<typeof agentRegistration> {
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name: serviceName,
    description: `Finds the best swap route on ${nameChains()} and answers with an executable payload. ${isQuotaSold ? 'Quotes cost 0.0001 USD each, bought with USDC on chain; it' : 'It'} never signs and never holds funds.`,
    image: image.replaceAll(' ', '%20'),
    services: [
      { name: 'web', endpoint: `${publicUrl}/docs` },
      { name: 'OpenAPI', endpoint: `${publicUrl}/openapi.json`, version },
      ...(isQuotaSold
        ? [{ name: 'x402', endpoint: `${publicUrl}/.well-known/x402`, version: '2' }]
        : []),
      ...(mcpUrl ? [{ name: 'MCP', endpoint: mcpUrl, version: mcpVersion }] : []),
    ],
    x402Support,
    active,
    registrations: [...registrations],
    supportedTrust: [],
  }
}
