import { Type } from 'typebox'
import { address, bytes32, named } from '../http/schemas.ts'

const account = named(
  'LabAccount',
  Type.Object({
    address: address(),
    privateKey: bytes32({ description: 'Public: of a lab only' }),
    funded: Type.Record(Type.String(), Type.String(), {
      description: 'Human amounts by symbol, ETH among them',
    }),
  }),
)

const dex = named(
  'LabDex',
  Type.Object({
    name: Type.String(),
    protocol: Type.String(),
    factory: address(),
    quoter: Type.Union([address(), Type.Null()]),
    router: Type.Union([address(), Type.Null()]),
    pools: Type.Integer(),
  }),
)

const chain = named(
  'LabChain',
  Type.Object({
    rpcUrl: Type.String({ description: 'The chain the gateway follows: send transactions here' }),
    adminRpcUrl: Type.Optional(Type.String({ description: 'Takes cheatcodes too' })),
    executor: address(),
    quotaManager: address(),
    proxyFactory: address(),
    proxyImplementation: address(),
    relayer: address(),
    tokens: Type.Record(
      Type.String(),
      named('LabToken', Type.Object({ address: address(), decimals: Type.Integer() })),
      { description: 'By symbol' },
    ),
    dexes: Type.Array(dex),
    accounts: Type.Array(account),
  }),
)

/** The manifest as the lab writes it (`lab/manifest.ts`); a test holds one against the other. */
export const labManifest = named(
  'LabManifest',
  Type.Object({
    version: Type.String(),
    mode: Type.Unsafe<'offline' | 'forked'>({ type: 'string', enum: ['offline', 'forked'] }),
    pid: Type.Integer({ description: 'Process id of the gateway' }),
    services: named(
      'LabServices',
      Type.Object({
        routing: Type.String(),
        meta: Type.String(),
        relay: Type.String(),
        ops: Type.String(),
      }),
    ),
    apiKey: Type.String(),
    adminToken: Type.String({ description: 'For POST /lab/*' }),
    chains: Type.Record(Type.String(), chain, { description: 'By chain id' }),
  }),
)

const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

export const manifestExample = {
  output: {
    version: '0.1.0',
    mode: 'offline',
    pid: 4_711,
    services: {
      routing: 'http://127.0.0.1:8080',
      meta: 'http://127.0.0.1:8081',
      relay: 'http://127.0.0.1:8082',
      ops: 'http://127.0.0.1:8090',
    },
    apiKey: 'fy_lab_…',
    adminToken: '…',
    chains: {
      8453: {
        rpcUrl: 'http://127.0.0.1:8545',
        executor: contract,
        quotaManager: contract,
        proxyFactory: contract,
        proxyImplementation: contract,
        relayer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        tokens: {
          WETH: { address: '0x4200000000000000000000000000000000000006', decimals: 18 },
        },
        dexes: [],
        accounts: [],
      },
    },
  },
}
