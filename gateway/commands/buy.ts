import { Command } from 'commander'
import { createClient, http, isHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { getChainId } from 'viem/actions'
import { buyQuota } from '../access/buyQuota.ts'
import { getChain } from '../chain/chains.ts'
import { toViemChain } from '../chain/client.ts'
import { toWholeNumber } from './arguments.ts'

type Print = (text: string) => void

/** Secrets come from the environment, where a process list does not show them. */
function readEnvironment(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
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
      const transport = http(readEnvironment('BUYER_RPC_URL'))
      const chain = getChain(await getChainId(createClient({ transport })))
      if (!chain) throw new Error('BUYER_RPC_URL serves a chain where no quota is sold')
      const privateKey = readEnvironment('BUYER_PRIVATE_KEY')
      if (!isHex(privateKey)) throw new Error('BUYER_PRIVATE_KEY must be 0x-prefixed hex')
      const account = privateKeyToAccount(privateKey)
      const client = createClient({ account, chain: toViemChain(chain), transport })
      const bought = await buyQuota(
        {
          serviceUrl: url,
          apiKey: readEnvironment('FORKYARD_API_KEY'),
          client,
          report: (step) => print(`${step}\n`),
        },
        { quotes },
      )
      print(`${bought.quotes} quotes bought, ${bought.remaining} left on the key\n`)
    })
}
