import { Command } from 'commander'
import { BaseError, createClient, custom, isHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { getChainId } from 'viem/actions'
import { chains } from '../chain/chains.ts'
import { type ChainClient, ChainUnavailable, createChainClient } from '../chain/client.ts'
import { toWholeNumber } from './arguments.ts'
import { type Bought, buyQuota } from './buyQuota.ts'
import { recordElsewhere } from './recordElsewhere.ts'

type Print = (text: string) => void

/** Secrets come from the environment, where a process list does not show them. */
function readEnvironment(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

/** The chain behind a URL, by a client that never repeats the URL: it may hold a key. */
async function connect(rpcUrl: string): Promise<ChainClient> {
  for (const chain of chains) {
    const client = createChainClient({ chain, rpcUrls: [rpcUrl] })
    const chainId = await getChainId(client.client).catch((cause: unknown) => {
      const isSilent =
        cause instanceof BaseError && cause.walk((one) => one instanceof ChainUnavailable)
      throw isSilent ? new Error('BUYER_RPC_URL does not answer', { cause }) : cause
    })
    if (chainId === chain.chainId) return client
    client.close()
  }
  throw new Error('BUYER_RPC_URL serves a chain where no quota is sold')
}

/** `forkyard buy`: quota for a key of any gateway, paid in USDC by the holder of a private key. */
export function buyCommand(print: Print) {
  return new Command('buy')
    .description(
      'buy quota with USDC; needs FORKYARD_API_KEY, BUYER_PRIVATE_KEY and BUYER_RPC_URL in the environment',
    )
    .argument('<quotes>', 'whole quotes', toWholeNumber)
    .option('--url <url>', 'the routing service', 'http://127.0.0.1:8080')
    .action(async (quotes: number, { url }: { url: string }) => {
      const { client: reader, close } = await connect(readEnvironment('BUYER_RPC_URL'))
      const privateKey = readEnvironment('BUYER_PRIVATE_KEY')
      if (!isHex(privateKey)) throw new Error('BUYER_PRIVATE_KEY must be 0x-prefixed hex')
      const account = privateKeyToAccount(privateKey)
      const { chain } = reader
      const transport = custom(reader, { retryCount: 0 })
      const client = createClient({ account, chain, transport, ccipRead: false })
      const apiKey = readEnvironment('FORKYARD_API_KEY')
      const report = (step: string) => print(`${step}\n`)
      const asked = { quotes, service: new URL(url).host, chain: chain.name }
      const look = async (done?: Bought) => done ?? null
      const bought = await recordElsewhere(
        process.env,
        { command: 'buy', subject: account.address, asked, look },
        () => buyQuota({ serviceUrl: url, apiKey, client, report }, { quotes }),
      ).finally(close)
      print(`${bought.quotes} quotes bought, ${bought.remaining} left on the key\n`)
    })
}
