type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: Readonly<Record<string, string>>
  readonly write: (given: Readonly<Record<string, string>>) => string
}

/** The three stories: a swap, an agent that pays, a suite that tests. */
export const prompts: readonly Prompt[] = [
  {
    name: 'swap',
    title: 'Prepare a swap',
    description: 'From what somebody wants to sell to a transaction that was checked.',
    arguments: {
      chain: 'Chain id',
      sell: 'What to sell, as "1.5 WETH"',
      buy: 'What to buy, as "USDC"',
      wallet: 'Address of the wallet',
    },
    write: ({
      chain,
      sell,
      buy,
      wallet,
    }) => `Prepare a swap of ${sell} into ${buy} for the wallet ${wallet} on chain ${chain}.

1. Call tokens if a symbol may be unknown.
2. Call quote with verify, and meta_quote with dryRun, for the same order and taker.
3. Say which delivers more (received, else receive), its price impact and its grades; call explain_route where a grade is below C.
4. Show the allowance that execution.spender needs (exactly the amount, no more) and the transaction in execution. Do not send anything: the wallet's owner does.`,
  },
  {
    name: 'pay_for_quotes',
    title: 'Keep an agent in quotes',
    description: 'What is left on the key, what more costs, how it is paid and credited.',
    arguments: { quotes: 'How many quotes the work needs' },
    write: ({ quotes }) => `The work ahead needs ${quotes} quotes.

1. Call quota. If enough remain, say so and stop.
2. Say what the missing quotes cost in USDC (pricePerQuote), and on which chain and to which contract that is paid. Ask before anything is paid: this server holds no wallet.
3. With the hash of the payment call claim; where it says that the payment needs more blocks, call it again.
4. Call quota again and say what remains.`,
  },
  {
    name: 'test_integration',
    title: 'Test an integration in a lab',
    description: 'A suite against real pools, with balances, time and faults on demand.',
    arguments: { what: 'What is to be tested' },
    write: ({ what }) => `Write and run tests of ${what} against a Forkyard lab.

1. Read forkyard://manifest for URLs, the key, tokens and funded accounts.
2. Call snapshot, so that every test starts from the same chain; revert after each.
3. Use deal for balances and warp for time.
4. Call faults, and arm_fault for each that a caller must survive: rate_limited, slow, reset, stream_cut at least. Call clear_faults at the end.
5. For CI: call pack on the committed fork pack; \`npx forkyard lab-up --pack FILE\` forks it without a network.`,
  },
]
