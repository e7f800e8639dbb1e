import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'

const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }

type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Record<
    string,
    Record<
      string,
      { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
    >
  >
}

/** Compiles one source; for contracts too odd to be part of the world. */
export function compileSolidity(source: string, name: string): { abi: Abi; bytecode: Hex } {
  const settings = {
    evmVersion: 'cancun',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  }
  const input = { language: 'Solidity', sources: { 'a.sol': { content: source } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const error = output.errors?.find(({ severity }) => severity === 'error')
  const contract = output.contracts?.['a.sol']?.[name]
  if (error || !contract) throw new Error(error?.formattedMessage ?? `no contract ${name}`)
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` }
}
