import { assert, suite } from '../../fixtures/test.ts'
import { createAskers, createSearchQueue } from './searchQueue.ts'

const s = suite("the order of one caller's searches")

/** They are asked for at these times, each of them once or again and again, while another runs. */
async function orderOf(asked: Readonly<Record<string, readonly number[]>>, runAtMs: number) {
  const clock = { ms: 0 }
  const searches = createSearchQueue({ now: () => clock.ms })
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const running = [searches(() => gate.promise, { chainId: 1 })]
  for (const [name, [first = 0, ...again]] of Object.entries(asked)) {
    const others = createAskers()
    clock.ms = first
    running.push(searches(async () => void order.push(name), { chainId: 1, others }))
    for (const atMs of again) {
      clock.ms = atMs
      others.join({})
    }
  }
  clock.ms = runAtMs
  gate.resolve()
  await Promise.all(running)
  return order
}

s('what most of its requests wait for comes first [20/queue-asked]', async () => {
  const order = await orderOf({ once: [0], often: [5, 5, 5], twice: [5, 5], last: [5] }, 10)
  assert.equal(order, ['often', 'once', 'twice', 'last'])
})

s('none waits for ever behind what is asked often [20/queue-asked]', async () => {
  assert.equal(await orderOf({ once: [0], often: [31, 31] }, 60), ['once', 'often'])
  assert.equal(await orderOf({ once: [0], often: [29, 29] }, 60), ['often', 'once'])
})

s.run()
