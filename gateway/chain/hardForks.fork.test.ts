import { type Address, type Hex, hexToBigInt, pad } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc, type Rpc } from '../../fixtures/anvil/rpc.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { anvilSettings, type ForkSettings } from '../../simulator/forkSettings.ts'
import { chains } from './chains.ts'

/** Code that answers with a word, by the rule that brought it. */
const rules: Readonly<Record<string, Hex>> = {
  'EIP-3855 PUSH0': '0x5f60005260206000f3',
  'EIP-1153 TLOAD': '0x60005c60005260206000f3',
  'EIP-5656 MCOPY': '0x6000600060005e60206000f3',
  'EIP-7939 CLZ': '0x60011e60005260206000f3',
}
/** Asks P256VERIFY about the calldata; the gas that it took, in place of what it said. */
const meter: Hex = '0x365f5f375a60205f365f6101005afa505a90035f5260205ff3'
/** The precompile's own since EIP-7951, and what stands around its call. */
const meteredGas = 6_900n + 118n
const precompile: Address = '0x0000000000000000000000000000000000000100'
/** Hash, r, s, x, y of a signature on secp256r1 that holds. */
const signature: Hex = `0x${[
  '4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d',
  'a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac',
  '36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60',
  '4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3',
  '7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
].join('')}`
const prober: Address = '0x0000000000000000000000000000000000009999'
const one: Hex = pad('0x1')

/**
 * What forks of each chain lack, with the switches of its row. Both chains have Osaka's rules: Base since
 * Azul (docs.base.org/base-chain/specs/upgrades/azul/exec-engine), Arbitrum since ArbOS 50
 * (github:OffchainLabs/go-ethereum#525). No switch of anvil 1.7.1 gives them together with the OP Stack:
 * with `--network optimism` it knows deposits, and neither CLZ nor `osaka`; `karst` does not start. Nor
 * does any charge an L1 fee, which quotes add themselves, or run tokens that are precompiles.
 */
const lacking: Readonly<Record<string, readonly string[]>> = {
  base: ['deposits', 'the L1 fee'],
  arbitrum: [],
}
/** What the OP Stack adds to a transaction. */
const opStack: Readonly<Record<string, (rpc: Rpc, from: Address) => Promise<boolean>>> = {
  deposits: (rpc, from) => {
    const deposit = { type: '0x7e', sourceHash: one, mint: '0x0', isSystemTx: false }
    return answers(rpc('eth_sendTransaction', { from, to: from, gas: '0x5208', ...deposit }))
  },
  async ['the L1 fee'](rpc, from) {
    const balance = async () => hexToBigInt((await rpc('eth_getBalance', from, 'latest')) as Hex)
    const before = await balance()
    const sent = await rpc('eth_sendTransactionSync', { from, to: prober, gas: '0x5208' })
    const { gasUsed, effectiveGasPrice } = sent as Readonly<Record<string, Hex>>
    const paid = hexToBigInt(gasUsed ?? '0x0') * hexToBigInt(effectiveGasPrice ?? '0x0')
    return before - (await balance()) > paid
  },
}

const answers = (asked: Promise<unknown>) =>
  asked.then(
    () => true,
    () => false,
  )

const s = suite('hard forks of the chains')
for (const { name, chainId, fork, l1Fee } of chains)
  s(`${name}'s forks lack what is written here, and nothing else [21/hard-forks]`, async () => {
    const settings: ForkSettings = fork
    const flags = Object.entries(anvilSettings(settings)).flatMap(([flag, word]) => [
      `--${flag}`,
      word,
    ])
    const upstream = await startAnvil({ args: ['--chain-id', String(chainId)] })
    // A fork takes its rules from the chain's id; by itself anvil takes its latest.
    const forked = await startAnvil({ args: ['--fork-url', upstream.rpcUrl, ...flags] })
    try {
      const rpc = createRpc(forked.rpcUrl)
      const run = (code: Hex, data?: Hex) =>
        rpc('eth_call', { to: prober, data }, 'latest', { [prober]: { code } })
      const missing: string[] = []
      for (const [rule, code] of Object.entries(rules))
        if (!(await answers(run(code)))) missing.push(rule)
      const [from] = (await rpc('eth_accounts')) as readonly Address[]
      for (const [what, knows] of Object.entries(l1Fee === 'opStack' ? opStack : {}))
        if (from && !(await knows(rpc, from))) missing.push(what)
      assert.equal(missing, lacking[name])
      assert.is(await rpc('eth_call', { to: precompile, data: signature }, 'latest'), one)
      assert.is(hexToBigInt((await run(meter, signature)) as Hex), meteredGas)
    } finally {
      await forked.close()
      await upstream.close()
    }
  })
s.run()
