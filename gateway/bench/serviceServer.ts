import { createServer } from 'node:http'
import { Type } from 'typebox'
import { createAccess } from '../access/access.ts'
import { createKey } from '../access/issueKeys.ts'
import { endpoint } from '../http/endpoint.ts'
import { createService } from '../http/service.ts'
import { openStore } from '../store/openStore.ts'
import { createPorts } from '../store/ports.ts'
import { createSqliteEngine } from '../store/sqliteEngine.ts'
import { benchAccess } from './server/benchAccess.ts'
import { QuoteBody, quoteAnswer } from './server/quoteShape.ts'
import { reportToParent } from './server/reportToParent.ts'

/**
 * The same endpoint as the floor's, through the gateway's own service: keys, limits, ledger, errors, headers.
 * `single`: every write is flushed as a transaction of its own, which is all that differs.
 */
const [path = ':memory:', mode = 'group'] = process.argv.slice(2)
const opened = openStore({ path })
const engine = createSqliteEngine(opened.db)
const alone: typeof engine.write = (program) => {
  const written = engine.write(program)
  engine.flush()
  return written
}
const store =
  mode === 'single' ? { ...opened, ...createPorts({ ...engine, write: alone }) } : opened
const log = { debug() {}, info() {}, warn() {}, error() {} }
const deps = { store, chains: [], config: benchAccess, log, now: Date.now }
const { apiKey } = await createKey(deps, { label: 'bench', quotes: 1e12 })
const service = createService({
  name: 'bench',
  endpoints: [
    endpoint({
      method: 'post',
      path: '/quote',
      summary: 'Of the size of a quote',
      input: QuoteBody,
      output: Type.Object({}),
      auth: 'key',
      cost: 1,
      handle: async () => quoteAnswer,
    }),
  ],
  access: createAccess(deps),
  log,
})
const server = createServer(service.app.callback())
server.listen(0, '127.0.0.1', () => reportToParent(server, apiKey))
