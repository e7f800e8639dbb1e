import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, suite } from '../../../fixtures/test.ts'
import { readBill } from './bill.ts'

const s = suite('bench/model/bill')
const readDoc = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8')
const toNumber = (cell = '') => Number(cell.replaceAll(',', ''))

s('is what docs/scale.md says of each fleet [24/scale-bill]', () => {
  const rows = readDoc('scale.md')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length === 9 && /^[\d,]+000$/.test(cells[1] ?? ''))
  assert.is(rows.length, 6)
  for (const [, perSecond, chains, inTurn, byQuestion, ledger, usd, fewerUsd] of rows) {
    const billOf = (machines = '') =>
      readBill({
        perSecond: toNumber(perSecond),
        chains: toNumber(chains),
        databases: toNumber(machines.split(' and ')[1]),
      })
    const { ledgerGbPerDay, logGbPerDay, nodesUsdPerMonth } = billOf(inTurn)
    assert.equal(ledger?.split(' and ').map(toNumber), [ledgerGbPerDay, logGbPerDay])
    assert.is(toNumber(usd), nodesUsdPerMonth)
    assert.is(toNumber(fewerUsd), billOf(byQuestion).nodesUsdPerMonth)
  }
})

s('is of the prices that docs/production.md has measured [24/scale-bill]', () => {
  const [, base, arbitrum] = /^\| alchemy-paid.*?, (\d+) USD .*?, (\d+) USD /m.exec(
    readDoc('production.md'),
  ) ?? ['', '', '']
  const { nodesUsdPerMonth } = readBill({ perSecond: 1, chains: 2, databases: 1 })
  assert.is(nodesUsdPerMonth, toNumber(base) + toNumber(arbitrum))
})
s.run()
