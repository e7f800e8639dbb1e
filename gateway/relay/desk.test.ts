import { assert, suite } from '../../fixtures/test.ts'
import type { Coordination } from '../store/coordination.ts'
import { createDesk } from './desk.ts'

const s = suite('relay desk')
const bytes = { hash: '0x01', raw: '0x02' } as const

function open() {
  const world = { isHeld: false, isDeaf: false }
  const log: string[] = []
  const close = (what: string) => async () => void log.push(`closed ${what}`)
  let win = () => undefined as unknown
  let hear = () => undefined as unknown
  const coordination: Coordination = {
    elect({ name, won = () => undefined }) {
      log.push(`stands for ${name}`)
      win = () => won(1)
      return { isHeld: () => world.isHeld, close: close('election') }
    },
    async publish({ channel }) {
      if (world.isDeaf) throw new Error('nobody listens')
      log.push(`told ${channel}`)
    },
    subscribe(channel, heard) {
      log.push(`listens to ${channel}`)
      hear = () => heard(undefined)
      return { close: close('subscription') }
    },
  }
  const desk = createDesk(
    { chainId: 7 },
    {
      coordination,
      broadcaster: {
        offer: async ({ hash }: typeof bytes) => void log.push(`sent ${hash}`),
      } as never,
      observe: (event) => void log.push(`${event.kind} ${event.chainId}`),
      work: () => void log.push('works'),
    },
  )
  assert.equal(log.splice(0), ['stands for broadcaster 7', 'listens to relay_7'])
  return { world, desk, log: () => log.splice(0), win: () => win(), hear: () => hear() }
}

s('works once it is chosen, and whenever another has signed then [teeth/desk]', () => {
  const { world, desk, log, win, hear } = open()
  hear()
  assert.equal(log(), [])
  assert.not(desk.isChosen())
  world.isHeld = true
  win()
  assert.equal(log(), ['elected 7', 'works'])
  hear()
  assert.equal(log(), ['works'])
  assert.ok(desk.isChosen())
})
s('sends what it is handed where it is chosen, else wakes who is [teeth/desk]', async () => {
  const { world, desk, log } = open()
  await desk.offer(bytes)
  assert.equal(log(), ['told relay_7'])
  world.isDeaf = true
  await desk.offer(bytes)
  assert.equal(log(), ['broadcast_failed 7'])
  world.isHeld = true
  await desk.offer(bytes)
  assert.equal(log(), ['sent 0x01'])
})
s('leaves its place and listens no more once it is closed [teeth/desk]', async () => {
  const { desk, log } = open()
  await desk.close()
  assert.equal(log(), ['closed election', 'closed subscription'])
})
s.run()
