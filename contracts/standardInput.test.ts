import { createRequire } from 'node:module'
import { assert, suite } from '../fixtures/test.ts'
import * as artifacts from './artifacts.ts'
import { standardInput } from './standardInput.ts'

type Output = {
  readonly contracts: Record<
    string,
    Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>
  >
}
const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')

const s = suite('Standard JSON input')

s(
  'holds every source, so that solc alone makes the bytecode that is deployed [deploy/standard-input]',
  () => {
    const { contracts } = JSON.parse(solc.compile(JSON.stringify(standardInput()))) as Output
    for (const [key, { bytecode }] of Object.entries(artifacts)) {
      const name = `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`
      const compiled = contracts[`src/${name}.sol`]?.[name]?.evm.bytecode.object
      assert.is(`0x${compiled}`, bytecode, name)
    }
  },
)
s.run()
