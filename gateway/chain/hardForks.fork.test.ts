import type { Address, Hex } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
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
const prober: Address = '0x0000000000000000000000000000000000009999'

/**
 * Rules that forks of each chain lack, with the switches of its row. Base has had CLZ since Azul
 * (2026-05-28), on Arbitrum it is not known here: a payload that needs it fails in its dry run.
 */
const lacking: Readonly<Record<string, readonly string[]>> = {
  base: ['EIP-7939 CLZ'],
  arbitrum: ['EIP-7939 CLZ'],
}

const s = suite('hard forks of the chains')
for (const { name, chainId, fork } of chains)
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
      const knows = async (code: Hex) => {
        const answer = rpc('eth_call', { to: prober }, 'latest', { [prober]: { code } })
        return answer.then(
          () => true,
          () => false,
        )
      }
      const missing: string[] = []
      for (const [rule, code] of Object.entries(rules)) if (!(await knows(code))) missing.push(rule)
      assert.equal(missing, lacking[name])
    } finally {
      await forked.close()
      await upstream.close()
    }
  })
s.run()
