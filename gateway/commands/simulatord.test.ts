import { assert, suite } from '../../fixtures/test.ts'
import { simulatordCommand } from './simulatord.ts'

const s = suite('commands/simulatord')

/** What it says of its options, before it looks for an engine: there is none here. */
async function complaintsOf(...args: readonly string[]): Promise<string> {
  let said = ''
  const writeErr = (text: string) => {
    said += text
  }
  await simulatordCommand(() => undefined, {})
    .exitOverride()
    .configureOutput({ writeErr })
    .parseAsync(['--engine', 'kubernetes', ...args], { from: 'user' })
    .catch(() => undefined)
  return said
}

s(
  'refuses a bound that is none: no number of forks would be beyond it [24/bounds-read]',
  async () => {
    for (const [option, value] of [
      ['--max-forks', '16 forks'],
      ['--max-forks', '0'],
      ['--memory', '1g'],
      ['--cpus', 'half'],
      ['--cpus', '0'],
      ['--port', 'http'],
      ['--port', '65536'],
    ] as const)
      assert.match(await complaintsOf(option, value), `option '${option} <`, value)
    assert.is(await complaintsOf('--max-forks', '16', '--cpus', '0.5', '--port', '0'), '')
  },
)
s.run()
