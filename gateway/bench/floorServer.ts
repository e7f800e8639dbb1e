import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Router from '@koa/router'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Database from 'better-sqlite3'
import Koa from 'koa'
import { formats } from '../http/schemas.ts'
import { longQuoteAnswer, QuoteBody, quoteAnswer } from './server/quoteShape.ts'
import { reportToParent } from './server/reportToParent.ts'

/**
 * The floor: Koa, a router, ajv, a key lookup and a durable debit, written out in one file with nothing
 * else. `groupCommit` false: one transaction per request, as one would write it first.
 * `long`: answers as long as a quote of seven steps.
 */
const [path = ':memory:', mode = 'group', size = 'short'] = process.argv.slice(2)
const answer = size === 'long' ? longQuoteAnswer : quoteAnswer
const pepper = 'pepper'
const hash = (key: string) => createHmac('sha256', pepper).update(key).digest()
const db = new Database(path)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec(`CREATE TABLE keys (hash BLOB PRIMARY KEY, id TEXT) STRICT;
  CREATE TABLE balances (id TEXT PRIMARY KEY, total INTEGER, used INTEGER) STRICT;
  CREATE TABLE ledger (n INTEGER PRIMARY KEY, id TEXT, units INTEGER) STRICT`)
db.prepare('INSERT INTO keys VALUES (?, ?)').run(hash('bench'), 'k')
db.prepare('INSERT INTO balances VALUES (?, ?, 0)').run('k', 1e12)
const findKey = db.prepare<[Buffer], { id: string }>('SELECT id FROM keys WHERE hash = ?')
const debit = db.prepare<[string]>(
  'UPDATE balances SET used = used + 1 WHERE id = ? AND total - used >= 1',
)
const append = db.prepare<[string]>('INSERT INTO ledger (id, units) VALUES (?, -1)')
const chargeOne = (id: string) => {
  const isPaid = debit.run(id).changes === 1
  if (isPaid) append.run(id)
  return isPaid
}
const chargeAlone = db.transaction(chargeOne)
const chargeAll = db.transaction((ids: readonly string[]) => ids.map(chargeOne))

let waiting: { id: string; resolve: (isPaid: boolean) => void }[] = []
function flush() {
  const jobs = waiting
  waiting = []
  const paid = chargeAll.immediate(jobs.map(({ id }) => id))
  jobs.forEach(({ resolve }, index) => {
    resolve(paid[index] ?? false)
  })
}
const charge = (id: string) =>
  mode === 'single'
    ? Promise.resolve(chargeAlone.immediate(id))
    : new Promise<boolean>((resolve) => {
        if (waiting.push({ id, resolve }) === 1) setImmediate(flush)
      })

const ajv = new Ajv2020({ useDefaults: true })
for (const [name, { validate }] of Object.entries(formats)) ajv.addFormat(name, { validate })
const isValid = ajv.compile(QuoteBody)

async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const app = new Koa()
const router = new Router()
router.post('/quote', async (ctx) => {
  const key = findKey.get(hash(ctx.get('x-api-key')))
  if (!key) {
    ctx.status = 401
    return
  }
  if (!isValid(await readBody(ctx.req))) {
    ctx.status = 400
    return
  }
  if (!(await charge(key.id))) {
    ctx.status = 402
    return
  }
  ctx.set('x-ratelimit-limit', '1000')
  ctx.set('x-ratelimit-remaining', '999')
  ctx.body = answer
})
app.use(router.routes())
const server = app.listen(0, '127.0.0.1', () => reportToParent(server, 'bench'))
