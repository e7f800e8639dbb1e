import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Static, Type } from 'typebox'
import type { Address, Hex } from 'viem'

const address = Type.Unsafe<Address>({ type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' })
const word = Type.Unsafe<Hex>({ type: 'string', pattern: '^0x[0-9a-f]{64}$' })

/** `deployments/<chain>.json`: what stands where. Public facts only; made to be committed. */
const Deployment = Type.Object({
  chainId: Type.Integer(),
  chain: Type.String(),
  version: Type.String(),
  sender: address,
  treasury: Type.Optional(address),
  /** Raw USDC, decimal. */
  amountPerQuote: Type.Optional(Type.String({ pattern: '^[1-9][0-9]*$' })),
  contracts: Type.Record(
    Type.String(),
    Type.Object({ address, codeHash: word, transaction: Type.Optional(word) }),
  ),
})
export type Deployment = Static<typeof Deployment>

const pathOf = (dir: string, chain: string) => join(dir, `${chain}.json`)

/** @throws Error where the file is no deployment */
export function readDeployment(dir: string, chain: string): Deployment | undefined {
  const path = pathOf(dir, chain)
  if (!existsSync(path)) return undefined
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const ajv = new Ajv2020({ meta: false, validateSchema: false })
  if (!ajv.validate<Deployment>(Deployment, value))
    throw new Error(`${path} is no deployment of forkyard`)
  return value
}

/** Replaces the file in one step, so that a kill leaves the old one or the new one. */
export function writeDeployment(dir: string, deployment: Deployment): string {
  mkdirSync(dir, { recursive: true })
  const path = pathOf(dir, deployment.chain)
  writeFileSync(`${path}.new`, `${JSON.stringify(deployment, null, 2)}\n`)
  renameSync(`${path}.new`, path)
  return path
}
