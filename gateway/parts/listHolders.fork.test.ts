import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, type Address, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { compileSource } from '../../fixtures/chains/compileSource.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { worldAddress } from '../../fixtures/world/parts/builder.ts'
import { createGateway } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { createLabKeys } from '../lab/keys.ts'
import { createMetrics } from '../observe/metrics.ts'
import { startSwapStand } from '../routing/testing/swapStand.ts'

/** No word of its storage shows as a balance, and no event says who has any. */
const { Silent } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Silent {
  uint8 public constant decimals = 18;
  string public constant symbol = "HUSH";
  string public constant name = "Silent";
  uint256 public constant totalSupply = 1e30;
  mapping(address => uint256) private hidden;
  mapping(address => mapping(address => uint256)) public allowance;
  constructor(address holder) { write(holder, totalSupply); }
  function mask(address a) private pure returns (uint256) { return uint256(keccak256(abi.encode(a))) >> 16; }
  function write(address a, uint256 v) private { hidden[a] = v == 0 ? 0 : v ^ mask(a); }
  function balanceOf(address a) public view returns (uint256) { return hidden[a] == 0 ? 0 : hidden[a] ^ mask(a); }
  function approve(address a, uint256 v) external returns (bool) { allowance[msg.sender][a] = v; return true; }
  function transfer(address a, uint256 v) external returns (bool) { move(msg.sender, a, v); return true; }
  function transferFrom(address f, address a, uint256 v) external returns (bool) {
    allowance[f][msg.sender] -= v; move(f, a, v); return true; }
  function move(address f, address a, uint256 v) private {
    uint256 b = balanceOf(f); require(b < 2**128 && b >= v, "poor");
    write(f, b - v); write(a, balanceOf(a) + v); }
}`)
const abi = parseAbi([
  'function createPair(address one, address other) returns (address)',
  'function getPair(address one, address other) view returns (address)',
  'function mint(address to) returns (uint256)',
])

const s = suite('who pays for a dry run where balances cannot be set')
const stand = await startSwapStand(8453)
const { builder, manifest } = stand
const dir = mkdtempSync(join(tmpdir(), 'forkyard-holders-'))
const pepper = 'canary-pepper-of-more-than-thirty-two-characters'
const databasePath = join(dir, 'keys.sqlite')
const { apiKey } = await createLabKeys({ databasePath, databaseUrl: undefined, pepper })
const gateway = await createGateway(
  readConfig({
    ROUTING_PORT: '0',
    META_PORT: '0',
    RELAY_PORT: '0',
    OPS_PORT: '0',
    KEY_PEPPER: pepper,
    FORKYARD_MODE: 'offline',
    BASE_RPC_URL: stand.rpcUrl,
    BASE_EXECUTOR: manifest.executor,
    DATABASE_PATH: databasePath,
  }),
  {
    log: { debug() {}, info() {}, warn() {}, error() {} },
    metrics: createMetrics(),
  },
)
s.after(async () => {
  await gateway.close()
  await stand.close()
  rmSync(dir, { recursive: true })
})
const weth = manifest.tokens['WETH']?.address
if (!weth || !Silent) throw new Error('the world has WETH, and the token compiles')
const token = await builder.deployAt({
  address: worldAddress('silent token'),
  artifact: Silent,
  args: [manifest.seeder.address],
})

const send = (to: Address, call: { abi: Abi; functionName: string; args: readonly unknown[] }) =>
  stand.asSeeder({ to, data: encodeFunctionData(call) })

async function openPair(dexName: string, amounts: readonly [Address, bigint][]): Promise<void> {
  const factory = stand.dexes.find(({ name }) => name === dexName)?.factory
  if (!factory || !weth) throw new Error(dexName)
  const args = [token, weth]
  await send(factory, { abi, functionName: 'createPair', args })
  const pair = (await builder.read({ to: factory, abi, functionName: 'getPair', args })) as Address
  for (const [of, amount] of amounts)
    await send(of, { abi: erc20Abi, functionName: 'transfer', args: [pair, amount] })
  await send(pair, { abi, functionName: 'mint', args: [manifest.seeder.address] })
}

s('is a pool that the route leaves alone, named by routing [sim/holders]', async () => {
  const wad = 10n ** 18n
  await openPair('uniswap-v2', [
    [token, 1_000_000n * wad],
    [weth, 100n * wad],
  ])
  // A price that nobody sells at.
  await openPair('sushiswap-v2', [
    [token, 9_000_000n * wad],
    [weth, wad / 10n],
  ])
  const response = await fetch(`${gateway.listeners['routing']}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      chain_id: 8453,
      token_in: token,
      token_out: weth,
      amount_in: String(1_000n * wad),
      taker: '0x000000000000000000000000000000000000dEaD',
      verify: true,
    }),
  })
  const body = (await response.json()) as Record<string, unknown>
  assert.is(response.status, 200, JSON.stringify(body))
  assert.is(body['route_unexecutable_reason'] ?? undefined, undefined, JSON.stringify(body))
  assert.is(body['verified_output'], body['output'], JSON.stringify(body))
})
s.run()
