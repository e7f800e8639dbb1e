import { Agent, request } from 'node:http'
import { assert, suite } from '../../fixtures/test.ts'
import { createAccess } from '../access/access.ts'
import { createKey } from '../access/issueKeys.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { benchAccess } from '../bench/server/benchAccess.ts'
import { openStore } from '../store/openStore.ts'
import { mostWaiting } from './searchQueue.ts'

const s = suite('a crowd of keys over HTTP')
const keys = 255
/** More than have places: some are refused all the time. */
const crowdSize = 265
const freeQuotes = 1_000
const quotes = 20
/** Its own, the one that runs when it comes, and those that run while it is on its way here and back. */
const mostTurns = 8

type Asked = { readonly apiKey: string; readonly agent: Agent; readonly url: string }

/** The status of a quote that nobody has asked for. */
function askQuote({ apiKey, agent, url }: Asked, body: object): Promise<number> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
    const asked = request(`${url}/quote`, { method: 'POST', headers, agent }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    asked.on('error', reject)
    asked.end(text)
  })
}

/** The routing service behind a door of its own, where the crowd has come again before each search runs. */
async function setUp() {
  let turns = 0
  let isOver = false
  let entered = Promise.withResolvers<void>()
  const store = openStore({ path: ':memory:' })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const config = { ...benchAccess, freeQuota: freeQuotes }
  const accessDeps = { store, chains: [], config, log, now: Date.now }
  const stand = createGeneratedStand({
    pools: 40,
    tokens: 8,
    seed: 5,
    access: createAccess(accessDeps),
    change: (chain) => {
      const { searches } = chain
      const hasCrowd = async () => {
        while (!isOver && (searches.waiting?.() ?? 0) < mostWaiting) await entered.promise
      }
      return {
        ...chain,
        searches: (search, asking) => {
          const found = searches(async () => {
            await hasCrowd()
            turns += 1
            return search()
          }, asking)
          entered.resolve()
          entered = Promise.withResolvers()
          return found
        },
      }
    },
  })
  const { url, close } = await stand.listen()
  const [tokenIn, tokenOut] = stand.market.addresses
  const pair = { chain_id: stand.chain.chainId, token_in: tokenIn, token_out: tokenOut }
  const agents: Agent[] = []
  let asked = 0
  return {
    turns: () => turns,
    isOver: () => isOver,
    async callerAt(localAddress: string): Promise<Asked> {
      const agent = new Agent({ keepAlive: true, localAddress })
      agents.push(agent)
      const { apiKey } = await createKey(accessDeps, { label: localAddress, quotes: freeQuotes })
      return { apiKey, agent, url }
    },
    nextBody() {
      asked += 1
      return { ...pair, amount_in: String(10n ** 18n + BigInt(asked)) }
    },
    end() {
      isOver = true
      entered.resolve()
    },
    async close() {
      for (const agent of agents) agent.destroy()
      await close()
      store.close()
    },
  }
}

s(
  'of 255 free keys of one network leaves the next turn to another network [strangers/search-http]',
  async () => {
    const { turns, isOver, callerAt, nextBody, end, close } = await setUp()
    const crowd = await Promise.all(Array.from({ length: keys }, () => callerAt('127.0.0.2')))
    const honest = await callerAt('127.0.0.3')
    let refused = 0
    const open = new Set<object>()
    const flood = async (caller: Asked) => {
      while (!isOver()) {
        const body = nextBody()
        open.add(body)
        const status = await askQuote(caller, body)
        open.delete(body)
        if (status === 503) refused += 1
        else assert.is(status, 200)
      }
    }
    const flooding = Array.from({ length: crowdSize }, (_, n) => flood(crowd[n % keys] as Asked))
    try {
      // The crowd has its turns before anybody else comes.
      while (turns() < 3) await askQuote(crowd[0] as Asked, nextBody())
      for (let n = 0; n < quotes; n += 1) {
        const before = turns()
        // What the crowd asks for as well is its own no less.
        const body = n % 2 === 0 ? nextBody() : [...open][Math.floor(open.size / 2)]
        if (!body) throw new Error('the crowd asks for nothing')
        assert.is(await askQuote(honest, body), 200)
        const waited = turns() - before
        assert.ok(waited <= mostTurns, `${waited} turns until quote ${n} was there`)
      }
    } finally {
      end()
      await Promise.all(flooding)
      await close()
    }
    assert.ok(refused > 0, 'the crowd asks for more than there is room for')
  },
)
s.run()
