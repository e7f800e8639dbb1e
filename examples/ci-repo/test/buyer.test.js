import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import solc from 'solc'
import { createTestClient, erc20Abi, http, parseEther, publicActions, walletActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { base } from 'viem/chains'

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

function compile() {
  const content = readFileSync(new URL('../contracts/Buyer.sol', import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { 'Buyer.sol': { content } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { abi, evm } = JSON.parse(solc.compile(JSON.stringify(input))).contracts['Buyer.sol'].Buyer
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}

// The platform's own program: the wrapper of the npm package outlives a kill.
const cpu = process.arch === 'x64' ? 'amd64' : process.arch
const program = `../node_modules/@foundry-rs/anvil-${process.platform}-${cpu}/bin/anvil`
let anvil
let chain
before(async () => {
  const flags = ['--fork-url', process.env.BASE_RPC_URL, '--port', '0', '--no-storage-caching']
  anvil = spawn(new URL(program, import.meta.url).pathname, flags)
  let output = ''
  const url = await new Promise((resolve, reject) => {
    anvil.once('exit', () => reject(new Error(output)))
    for (const stream of [anvil.stdout, anvil.stderr])
      stream.on('data', (chunk) => {
        output += chunk
        const port = /Listening on \S+:(\d+)/.exec(output)?.[1]
        if (port) resolve(`http://127.0.0.1:${port}`)
      })
  })
  const options = { account, chain: base, mode: 'anvil', transport: http(url) }
  chain = createTestClient(options).extend(publicActions).extend(walletActions)
  await chain.setBalance({ address: account.address, value: parseEther('10') })
})
after(() => anvil?.kill())

test('buys USDC for ETH, and refuses a worse price than asked', async () => {
  const { abi, bytecode } = compile()
  const hash = await chain.deployContract({ abi, bytecode })
  const { contractAddress: address } = await chain.waitForTransactionReceipt({ hash })
  const balance = () =>
    chain.readContract({
      address: usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account.address],
    })
  const before = await balance()
  const call = { address, abi, functionName: 'buy', value: parseEther('1') }
  const bought = await chain.writeContract({ ...call, args: [1n] })
  assert.equal((await chain.waitForTransactionReceipt({ hash: bought })).status, 'success')
  assert.ok((await balance()) > before)
  await assert.rejects(chain.writeContract({ ...call, args: [10n ** 18n] }), /Too little received/)
})
