import { type RpcLog, RpcRequestError } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { Witness } from '../../chain/client.ts'
import type { BlockRange } from '../../chain/nodes/refusal.ts'
import { createCreationWitness } from './creationWitness.ts'

const s = suite('another endpoint that is asked of creations')
type Client = Witness['client']
const range: BlockRange = { from: 0n, to: 99_999_999n }
const each = (count: number) => new Array<RpcLog>(count).fill({} as RpcLog)
const tooWide = (message: string) =>
  new RpcRequestError({ body: {}, error: { code: -32602, message }, url: 'http://node' })

/** What one says that answers so, turn by turn, and how often somebody was told that it does not. */
async function hear(answer: (turn: number, blocks: number) => readonly RpcLog[], turns: number) {
  const witness = createCreationWitness()
  const others = [{ client: {} as Client }]
  const heard: (number | string)[] = []
  let told = 0
  const refused = () => {
    told += 1
  }
  for (let turn = 0; turn < turns; turn += 1) {
    const ask = async (_: Client, { from, to }: BlockRange) => answer(turn, Number(to - from) + 1)
    const word = await witness.hear({ ask, others, range, refused })
    heard.push(typeof word === 'string' ? word : word.logs.length)
  }
  return { heard, told }
}
const [narrower, later] = [
  (times: number) => new Array<string>(times).fill('narrower'),
  (times: number) => new Array<string>(times).fill('later'),
]

s('is waited for three times in a row, though it told before [teeth/witness-later]', async () => {
  const once = await hear((turn) => {
    if (turn === 0) return []
    throw new Error('gone')
  }, 5)
  assert.equal(once, { heard: [0, ...later(3), 0], told: 3 })
})

s(
  'is narrowed eight times at most for each time that it told [teeth/witness-narrowed]',
  async () => {
    const limited = await hear((_, blocks) => {
      if (blocks <= 10_000) return each(1)
      throw tooWide('block range is too wide')
    }, 34)
    const [eight, sixteen] = [new Array(8).fill(1), new Array(16).fill(1)]
    const heard = [...narrower(7), ...eight, ...narrower(1), ...sixteen, ...narrower(1), 1]
    assert.equal(limited, { heard, told: 0 })
    const never = await hear((turn, blocks) => {
      if (turn === 0) return []
      throw tooWide(`eth_getLogs is limited to ${blocks - 1} block range`)
    }, 13)
    assert.equal(never, { heard: [0, ...narrower(8), ...later(3), 0], told: 3 })
  },
)

s('is narrowed where it tells of more than 256 at once [teeth/witness-many]', async () => {
  for (const [count, heard] of [
    [256, [256, 256]],
    [257, ['narrower', 1]],
  ] as const) {
    const many = await hear((_, blocks) => each(blocks > 500_000 ? count : 1), 2)
    assert.equal(many, { heard, told: 0 })
  }
})

s(
  'is told on where a short range has too many, and where it refuses often [teeth/witness-told]',
  async () => {
    const many = await hear(() => each(300), 9)
    assert.equal(many, { heard: [...narrower(7), 256, 256], told: 2 })
    const flaky = await hear((turn) => {
      if (turn % 4 === 3) return []
      throw new Error('gone')
    }, 12)
    assert.is(flaky.told, 5)
    const gone = await hear(() => {
      throw new Error('gone')
    }, 4)
    assert.equal(gone, { heard: [...later(3), 0], told: 3 })
    const short = await hear(() => {
      throw tooWide('eth_getLogs is limited to 9999 block range')
    }, 1)
    assert.equal(short, { heard: later(1), told: 1 })
  },
)

s('is asked until it told of 1,024 that are none, beside pools [teeth/witness-vain]', async () => {
  const witness = createCreationWitness()
  const [a, b] = [{ name: 'a' }, { name: 'b' }] as unknown as readonly [Client, Client]
  const told: string[] = []
  const refused = (error: unknown) => void told.push(String(error))
  async function findAsked() {
    const asked: Client[] = []
    async function ask(client: Client) {
      asked.push(client)
      return []
    }
    await witness.hear({ ask, others: [{ client: a }, { client: b }], range, refused })
    return asked
  }
  const weigh = (client: Client, pools: number, vain: number) =>
    witness.weigh(client, { came: { pools, vain }, refused })
  const isTold = 'Error: another endpoint told of 1024 creations that are none'
  weigh(a, 5, 0)
  weigh(a, 0, 1_023)
  assert.equal([told, await findAsked()], [[], [a]])
  weigh(a, 0, 1)
  assert.equal([told, await findAsked()], [[isTold], [b]])
  // What was under way meanwhile.
  weigh(a, 0, 1)
  weigh(b, 0, 1_023)
  assert.equal([told, await findAsked()], [[isTold], [b]])
  weigh(b, 0, 1)
  assert.equal([told, await findAsked()], [[isTold, isTold], []])
  const nobody = { ask: () => Promise.reject(new Error('asked')), others: [{ client: a }] }
  assert.equal(await witness.hear({ ...nobody, range, refused }), { range, logs: [] })
})
s.run()
