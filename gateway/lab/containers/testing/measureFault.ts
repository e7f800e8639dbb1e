import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Readiness } from '../../../ops/readiness.ts'
import { keepBooksUnder, type Tally } from './askUnderFault.ts'
import type { StackFault, StruckStack } from './stackFaults.ts'

const run = promisify(execFile)
const lookEveryMs = 100
/** After the fault before. */
const settledWithinSecs = 60
/** What cannot be reached from outside answers within this or is taken as silent. */
const answerWithinSecs = 4

/** A fifth of what two cores do: they also bring back what was struck. */
const load = { restMs: 150 }

export type FaultFigure = {
  readonly name: string
  /** What was not well, in the words of whoever said it. */
  readonly said: readonly string[]
  /** From the end of the cause until the stack was whole; undefined: it was given up before. */
  readonly recoverySecs: number | undefined
  /** What was amiss at the last look. */
  readonly left: readonly string[]
  readonly tally: Tally
}

/** `/readyz` of each gateway, asked in its own network namespace, as its operators do; needs root. */
async function readGateways({ docker, find }: StruckStack): Promise<readonly string[]> {
  const containers = await Promise.all(
    (await find('gateway')).map((id) => docker.getContainer(id).inspect()),
  )
  const words = containers.map(async ({ State }) => {
    if (!State.Running) return ['gateway: not running']
    const curl = ['curl', '-s', '-m', String(answerWithinSecs), 'http://127.0.0.1:8090/readyz']
    const asked = run('nsenter', ['-t', String(State.Pid), '-n', ...curl])
    const text = await asked.then(
      ({ stdout }) => stdout,
      () => '',
    )
    if (text === '') return ['gateway: silent']
    const { reasons, warnings } = JSON.parse(text) as Readiness
    return [...reasons, ...warnings]
  })
  return (await Promise.all(words)).flat()
}

/** What a caller sees: the stack's health, and a quote by a key that nobody else asks with. */
async function readPublic(stack: StruckStack, key: string): Promise<readonly string[]> {
  const timeoutMs = answerWithinSecs * 1000
  const silent = { status: 0, body: {} as Record<string, unknown> }
  const [health, quoted] = await Promise.all([
    stack.ask('routing', '/health', { timeoutMs }).catch(() => silent),
    stack.quote({ key, timeoutMs }).catch(() => silent),
  ])
  const word = (status: number) => (status === 0 ? 'no answer' : String(status))
  const words: string[] = []
  if (health.status !== 200) words.push(`GET /health: ${word(health.status)}`)
  else if (health.body['status'] !== 'ok') words.push(`GET /health: ${health.body['status']}`)
  if (quoted.status !== 200) words.push(`POST /quote: ${word(quoted.status)}`)
  return words
}

/**
 * Strikes a whole stack under load, listens to what its health says, and times its way back: every gateway
 * ready without a warning, health `ok`, a quote answered. Throws where the books do not balance after it.
 * `probeKey` is not the key of the load; after `giveUpSecs` a stack that is not whole is given up.
 */
export async function measureFault(
  stack: StruckStack,
  {
    name,
    strike,
    probeKey,
    giveUpSecs,
  }: StackFault & { readonly probeKey: string; readonly giveUpSecs: number },
): Promise<FaultFigure> {
  const said = new Set<string>()
  let left: readonly string[] = []

  /** Whether nothing is amiss. */
  async function look(): Promise<boolean> {
    left = (await Promise.all([readGateways(stack), readPublic(stack, probeKey)])).flat()
    for (const complaint of left) said.add(complaint)
    return left.length === 0
  }
  async function becomeWhole(withinSecs: number): Promise<boolean> {
    const deadline = performance.now() + withinSecs * 1000
    while (performance.now() < deadline) {
      if (await look()) return true
      await wait(lookEveryMs)
    }
    return false
  }

  if (!(await becomeWhole(settledWithinSecs)))
    throw new Error(`${name}: not whole before it: ${[...said].join()}`)
  said.clear()
  let recoverySecs: number | undefined
  const fault = async () => {
    let isStriking = true
    async function listen() {
      while (isStriking) {
        await look()
        await wait(lookEveryMs)
      }
    }
    const listening = listen()
    await strike()
    const endedAt = performance.now()
    isStriking = false
    if (await becomeWhole(giveUpSecs)) recoverySecs = (performance.now() - endedAt) / 1000
    await listening
  }
  const tally = await keepBooksUnder(stack, fault, load)
  return { name, said: [...said], recoverySecs, left, tally }
}
