import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { writeKeystore } from '../../fixtures/deploy/writeKeystore.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { readDeployment } from '../deploy/deploymentFile.ts'
import { printTable } from '../observe/printTable.ts'

/**
 * Gas of each contract that `forkyard deploy` sends, by its receipts, on a chain of the offline world.
 *
 * Usage: `npm run -s bench:deploy`.
 */
const dir = mkdtempSync(join(tmpdir(), 'forkyard-bench-deploy-'))
const world = await startWorldChain({ chainId: 8453 })
const rpc = createRpc(world.rpcUrl)
try {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  const { keystorePath, passwordPath } = writeKeystore(dir, privateKey)
  await rpc('anvil_setBalance', address, toHex(parseEther('1')))
  const key = ['--keystore', keystorePath, '--password-file', passwordPath]
  const where = ['--chain', 'base', '--treasury', address, '--confirmations', '1', '--out', dir]
  execFileSync(
    process.execPath,
    [join(import.meta.dirname, '../cli.ts'), 'deploy', ...where, ...key],
    {
      env: { ...process.env, BASE_RPC_URL: world.rpcUrl },
    },
  )
  const contracts = Object.entries(readDeployment(dir, 'base')?.contracts ?? {})
  const rows = await Promise.all(
    contracts.map(async ([name, { transaction }]) => {
      const receipt = transaction && (await rpc('eth_getTransactionReceipt', transaction))
      const { gasUsed } = (receipt ?? { gasUsed: '0x0' }) as { gasUsed: string }
      return [name, Number(gasUsed).toLocaleString('en')]
    }),
  )
  printTable((line) => process.stdout.write(`${line}\n`), { head: ['contract', 'gas used'], rows })
} finally {
  await world.close()
  rmSync(dir, { recursive: true })
}
