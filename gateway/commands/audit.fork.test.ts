import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPerson, startAccessStand, transferUsdc } from '../../fixtures/access/accessStand.ts'
import { bareEnvironment } from '../../fixtures/bareEnvironment.ts'
import { openAt, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { amountPerQuote } from '../access/sale/amountPerQuote.ts'
import { audit } from './audit.ts'

const s = suite('forkyard audit')
const dir = mkdtempSync(join(tmpdir(), 'audit-'))
const path = join(dir, 'a.sqlite')
const stand = await startAccessStand({ chainIds: [8453], path })
const engines = await startStoreEngines()
s.after(async () => {
  await stand.close()
  for (const engine of engines) await engine.close()
  rmSync(dir, { recursive: true })
})
const base = stand.chain(8453)
const look = (chains = [base.client]) =>
  audit({ databasePath: path, databaseUrl: undefined }, { chains })

s(
  'finds books that balance beside a running gateway, and each row that does not [18/audit]',
  async () => {
    const person = await createPerson(base)
    const key = await stand.register(person.account)
    const { to, data } = transferUsdc(base, base.quotaManager, 1_000n)
    const { transactionHash } = await person.send(to, data)
    const body = { chain_id: 8453, tx_hash: transactionHash }
    assert.is((await stand.call('/auth/quota/claim', { key, body })).status, 200)
    await stand.createKey('granted', 7)
    assert.equal(await look(), [])
    const { db } = stand.store
    db.exec("UPDATE payments SET amount = '1001'")
    assert.equal(
      (await look()).map(({ check, found }) => [check, found.replace(/log \d+/, 'log')]),
      [['chain', 'log paid 1000, booked 1001']],
    )
    db.exec("UPDATE payments SET amount = '1000'")
    db.exec('UPDATE balances SET total = total + 3 WHERE total = 7')
    db.exec(`UPDATE payments SET block_hash = '0x${'0'.repeat(64)}'`)
    const faults = await look()
    assert.equal(
      faults.map(({ check }) => check),
      ['balance', 'total', 'chain'],
    )
    assert.match(faults[2]?.row ?? '', transactionHash)
    assert.equal((await look([])).length, 2)
  },
)

s(
  'counts fills of nonces: what they cost, and that nothing else has theirs [18/audit-fills]',
  async () => {
    const { db } = stand.store
    const { account, send } = await createPerson(base)
    const { to, data } = transferUsdc(base, account.address, 1n)
    const { transactionHash: hash } = await send(to, data)
    const signer = account.address.toLowerCase()
    const fill = db.prepare(
      "INSERT INTO nonce_fills VALUES (?, 8453, ?, 5, '0x', '1', '1', '1', ?, 1)",
    )
    const found = async () =>
      (await look()).filter(({ row }) => row.includes(signer) || row.includes(hash))
    fill.run(hash, signer, String(10n ** 18n))
    // Signed once more at another price, and never mined.
    fill.run(`0x${'1'.repeat(64)}`, signer, '1')
    assert.equal(await found(), [])
    db.prepare('UPDATE nonce_fills SET reserved_wei = 1 WHERE tx_hash = ?').run(hash)
    const { id } = await stand.createKey('filled', 0)
    db.prepare(
      `INSERT INTO settlements (chain_id, asset, payer, nonce, key_id, valid_before_secs, from_block,
       calldata, signer, signer_nonce, gas_limit, max_fee_per_gas_wei, max_priority_fee_per_gas_wei,
       raw_tx, tx_hash, state, created_at_ms, signed_at_ms)
     VALUES (8453, '0x', '0x', '0x', ?, 1, 1, '0x', ?, 5, '1', '1', '1', '0x', '0x', 'sent', 1, 1)`,
    ).run(id, signer)
    const faults = await found()
    assert.equal(
      faults.map(({ check, row }) => [check, row]),
      [
        ['nonce', `8453 ${signer} 5`],
        ['chain', `8453 fill ${hash}`],
      ],
    )
    assert.match(faults[1]?.found ?? '', 'booked 1')
  },
)

/** As cron runs it, beside whoever has the database open. */
function byCommand(address: string) {
  const cli = join(import.meta.dirname, '..', 'cli.ts')
  const isServer = address.startsWith('postgres:')
  const env = {
    ...bareEnvironment(),
    KEY_PEPPER: 'canary-pepper-that-has-more-than-32-characters',
    BASE_RPC_URL: 'http://127.0.0.1:1',
    NO_COLOR: '1',
    DATABASE_PATH: isServer ? '' : address,
    DATABASE_URL: isServer ? address : '',
  }
  const args = [cli, 'audit', '--offline']
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { status, stdout }
}

for (const engine of engines)
  s(
    `tells by its words and its end whether books balance, on ${engine.name} [18/audit-engines]`,
    async () => {
      const address = await engine.createDatabase()
      const store = await openAt(address)
      const [id, hash] = ['one', `0x${'1'.repeat(64)}`] as const
      const rest = { label: '', wallet: undefined, scopes: ['quote'], createdAtMs: 1 } as const
      const key = { id, idHash: hash, secretHash: Buffer.from(id), start: 'x', ...rest }
      await store.keys.insert(key)
      const at = { chainId: 8453, txHash: hash, blockNumber: 1n, blockHash: hash }
      const amount = 10n * amountPerQuote
      const payment = {
        logIndex: 0,
        payer: hash,
        amount,
        quotes: 10,
        proof: 1,
        source: hash,
      } as const
      await store.payments.credit({ ...at, keyId: id, payments: [payment], atMs: 1 })
      const databaseUrl = address.startsWith('postgres:') ? address : undefined
      assert.equal(await audit({ databasePath: address, databaseUrl }, { chains: [] }), [])
      assert.equal(byCommand(address), { status: 0, stdout: 'the books balance\n' })
      // Credited with more than it has paid.
      const other = `0x${'2'.repeat(64)}` as const
      const dear = { ...payment, quotes: 11 }
      await store.payments.credit({ ...at, txHash: other, keyId: id, payments: [dear], atMs: 2 })
      const { status, stdout } = byCommand(address)
      assert.is(status, 1)
      assert.match(stdout, other)
      await store.close()
    },
  )
s.run()
