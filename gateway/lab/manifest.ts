import type { Address, Hex } from 'viem'

export type LabAccount = {
  readonly address: Address
  readonly privateKey: Hex
  /** Human amounts by symbol, `ETH` among them. */
  readonly funded: Readonly<Record<string, string>>
}

export type LabChainManifest = {
  /** The chain the gateway follows: send transactions here. */
  readonly rpcUrl: string
  /** Takes cheatcodes too, in a lab whose chains stand behind a filter; the path is a secret. */
  readonly adminRpcUrl?: string | undefined
  readonly executor: Address
  readonly quotaManager: Address
  readonly proxyFactory: Address
  readonly proxyImplementation: Address
  readonly relayer: Address
  readonly tokens: Readonly<
    Record<string, { readonly address: Address; readonly decimals: number }>
  >
  readonly dexes: readonly {
    readonly name: string
    readonly protocol: string
    readonly factory: Address
    readonly quoter: Address | null
    readonly router: Address | null
    readonly pools: number
  }[]
  readonly accounts: readonly LabAccount[]
}

export type LabServices = {
  readonly routing: string
  readonly meta: string
  readonly relay: string
  readonly ops: string
}

/** What a client needs to use a running lab; the shape stands in the specification, section "Process, ports, addresses". */
export type LabManifest = {
  readonly version: string
  readonly mode: 'offline' | 'forked'
  /** Process id of the gateway. */
  readonly pid: number
  readonly services: LabServices
  /** A key with 100,000 quotes; the same in every lab unless LAB_RANDOM_KEY is set. */
  readonly apiKey: string
  /** For `POST /lab/*` of ops. */
  readonly adminToken: string
  readonly chains: Readonly<Record<string, LabChainManifest>>
}

/** Answers 2xx when the gateway of this lab can serve. */
export const readyUrl = ({ services }: Pick<LabManifest, 'services'>) => `${services.ops}/readyz`
