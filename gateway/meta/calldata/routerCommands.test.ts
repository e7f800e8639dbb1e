import { concatHex, type Hex } from 'viem'
import { direct, type Step, toInput, within } from '../../../fixtures/meta/routerSteps.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { takesByRouter } from './routerCommands.ts'

/** Which commands of Universal Router may take of the caller, and by which word of their input. */
const s = suite('meta/routerCommands')
const all = Array.from({ length: 256 }, (_, byte) => byte)
const words = (count: number, ...ones: readonly number[]): Hex =>
  `0x${Array.from({ length: count }, (_, at) => (ones.includes(at) ? '1' : '0').padStart(64, '0')).join('')}`
const takes = (...steps: readonly Step[]) => takesByRouter(direct(steps))
const acts = (...actions: readonly Step[]) => takes(within(0x10, actions))
const listHarmless = (isTaking: (step: Step) => boolean) =>
  all.filter((byte) => !isTaking([byte, words(6)]))

s('knows commands that take nothing, whatever follows their failure [teeth/commands]', () => {
  const known = [0x00, 0x01, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0b, 0x0c, 0x0e, 0x10, 0x21]
  const flagged = [0x00, 0x40, 0x80, 0xc0].flatMap((flags) =>
    known.map((command) => flags | command),
  )
  assert.equal(listHarmless(takes), flagged)
})
s('knows actions that take nothing, by all of their bits [teeth/commands]', () => {
  const known = [0x06, 0x07, 0x08, 0x09, 0x0b, 0x0c, 0x0e, 0x0f, 0x10, 0x11]
  assert.equal(listHarmless(acts), known)
})
s('lets swaps be paid by the router alone, by their fifth word [teeth/commands]', () => {
  for (const command of [0x00, 0x01, 0x08, 0x09]) {
    const takers = [0, 1, 2, 3, 4, 5].filter((at) => takes([command, words(6, at)]))
    assert.equal(takers, [4])
    assert.equal([takes([command, words(5)]), takes([command, words(4)])], [false, true])
  }
})
s('lets what is settled be native, or paid by the router [teeth/commands]', () => {
  const [settle, settleAll] = [0x0b, 0x0c]
  const isTaking = (action: number) => (ones: readonly number[]) =>
    acts([action, words(3, ...ones)])
  assert.equal([[], [0], [1], [2], [1, 2]].map(isTaking(settle)), [
    false,
    false,
    false,
    false,
    false,
  ])
  assert.equal(
    [
      [0, 2],
      [0, 1, 2],
    ].map(isTaking(settle)),
    [true, true],
  )
  assert.equal([[], [1, 2], [0]].map(isTaking(settleAll)), [false, false, true])
})
s('looks into programs three deep, and believes none below to be harmless [teeth/commands]', () => {
  const nest = (depth: number, step: Step): Step =>
    depth === 0 ? step : within(0x21, [nest(depth - 1, step)])
  const [harmless, taking]: readonly Step[] = [
    [0x00, words(5)],
    [0x00, words(5, 4)],
  ]
  if (!harmless || !taking) throw new Error('there is no step')
  assert.equal(
    [0, 1, 2, 3, 4].map((depth) => takes(nest(depth, harmless))),
    [false, false, false, false, true],
  )
  assert.equal(
    [1, 2, 3].map((depth) => takes(nest(depth, taking))),
    [true, true, true],
  )
})
s('believes that what it cannot read takes [teeth/commands]', () => {
  const uneven: Step = [0x21, toInput('bytes, bytes[]', ['0x0000', [words(5)]])]
  assert.ok(takes(uneven))
  assert.ok(takesByRouter('0x24856bc3'))
  assert.not.ok(takesByRouter('0x12345678'))
})
s('knows the router by its selectors, in capitals, too [teeth/commands]', () => {
  const calldata = direct([[0x02, words(6)]])
  const shouted: Hex = `0x${calldata.slice(2, 10).toUpperCase()}${calldata.slice(10)}`
  assert.equal([takesByRouter(calldata), takesByRouter(shouted)], [true, true])
  assert.not.ok(takesByRouter(concatHex(['0x12345678', `0x${calldata.slice(10)}`])))
})
s.run()
