import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  keccak256,
  pad,
  toHex,
} from 'viem'
import { artifactPaths, npmArtifact } from '../../../fixtures/world/parts/npmArtifacts.ts'
import type { TridentRecord } from '../protocols/pair/tridentChain.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'

type Change = { readonly record: TridentRecord; readonly random: Random }

const half = 1n << 128n
/** No contract keeps its mappings further back. */
const mostSlots = 64n

/** Liquidity in or out of a Trident pool, or a profit of the box: its shares are worth more then. */
export async function changeTrident(stand: SwapStand, change: Change): Promise<void> {
  const { random } = change
  if (random.chance(0.3)) return addProfit(stand, change)
  return random.chance(0.5) ? burn(stand, change) : mint(stand, change)
}

async function addProfit(stand: SwapStand, { record, random }: Change): Promise<void> {
  const token = random.pick(record.tokens)
  const { abi } = npmArtifact(artifactPaths.bentoBox)
  const question = { to: record.bentoBox, abi, functionName: 'totals', args: [token] }
  const [elastic, base] = (await stand.builder.read(question)) as readonly [bigint, bigint]
  const profit = elastic / BigInt(50 + random.below(1_000)) + 1n
  const slot = await findTotals(stand, { record, token, word: base * half + elastic })
  const word = toHex(base * half + elastic + profit, { size: 32 })
  await stand.rpc('anvil_setStorageAt', record.bentoBox, slot, word)
  await call(stand, getAddress(token), {
    abi: erc20Abi,
    functionName: 'transfer',
    args: [record.bentoBox, profit],
  })
}

/** Where the box keeps what it has of a token: known by what stands there. */
async function findTotals(
  { rpc }: SwapStand,
  { record, token, word }: { record: TridentRecord; token: string; word: bigint },
): Promise<Hex> {
  const key = pad(token as Address, { size: 32 })
  for (let mapping = 0n; mapping < mostSlots; mapping += 1n) {
    const slot = keccak256(`${key}${toHex(mapping, { size: 32 }).slice(2)}`)
    const stored = String(await rpc('eth_getStorageAt', record.bentoBox, slot, 'latest'))
    if (BigInt(stored) === word) return slot
  }
  throw new Error(`the box has no totals of ${token}`)
}

async function mint(stand: SwapStand, { record, random }: Change): Promise<void> {
  const { bentoBox, address, tokens, elastics, bases, shares } = record
  const part = BigInt(2 + random.below(20))
  const { abi: boxAbi } = npmArtifact(artifactPaths.bentoBox)
  for (const [k, token] of tokens.entries()) {
    const [held = 0n, elastic = 0n, base = 1n] = [shares[k], elastics[k], bases[k]]
    const amount = (held * elastic) / base / part + 1n
    const asset = getAddress(token)
    await call(stand, asset, {
      abi: erc20Abi,
      functionName: 'transfer',
      args: [bentoBox, amount],
    })
    const args = [asset, bentoBox, address, amount, 0n]
    await call(stand, bentoBox, { abi: boxAbi, functionName: 'deposit', args })
  }
  const owner = encodeAbiParameters([{ type: 'address' }], [stand.manifest.seeder.address])
  return call(stand, address, { abi: poolAbi(), functionName: 'mint', args: [owner] })
}

async function burn(stand: SwapStand, { record, random }: Change): Promise<void> {
  const { address } = record
  const owner = stand.manifest.seeder.address
  const shares = await stand.balanceOf(address, owner)
  const args = [address, shares / BigInt(4 + random.below(30))]
  await call(stand, address, { abi: erc20Abi, functionName: 'transfer', args })
  const types = [{ type: 'address' }, { type: 'bool' }] as const
  const to = encodeAbiParameters(types, [owner, true])
  return call(stand, address, { abi: poolAbi(), functionName: 'burn', args: [to] })
}

const poolAbi = () => npmArtifact(artifactPaths.tridentPool).abi

function call(
  stand: SwapStand,
  to: Address,
  of: { abi: Abi; functionName: string; args: readonly unknown[] },
): Promise<void> {
  return stand.asSeeder({ to, data: encodeFunctionData(of) })
}
