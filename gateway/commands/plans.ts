import { Command, InvalidArgumentError } from 'commander'
import { readKeyConfig } from '../config/keyConfig.ts'
import type { Environment } from '../config/readSettings.ts'
import { printTable } from '../observe/printTable.ts'
import type { Plan, PlanLimits } from '../store/plans.ts'
import type { Store } from '../store/ports.ts'
import { toWholeNumber } from './arguments.ts'
import { noSuchKey, noSuchPlan } from './noSuch.ts'
import { recordCommand } from './recordCommand.ts'
import { withStore } from './withStore.ts'

/** The plan of keys that have none: what the settings say. */
const usual = 'default'
/** What takes a bound away. */
const none = 'none'

const between = (least: number, most: number) => (value: string) => {
  const number = toWholeNumber(value)
  if (number < least || number > most)
    throw new InvalidArgumentError(`it must be ${least} to ${most}`)
  return number
}
const orNone =
  <value>(parse: (text: string) => value) =>
  (text: string): value | typeof none =>
    text === none ? none : parse(text)

function toName(value: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(value) || value === usual || value === none)
    throw new InvalidArgumentError(
      `it must be up to 40 of a-z, 0-9 and -, and neither ${usual} nor ${none}`,
    )
  return value
}

function toMethods(value: string): readonly string[] {
  const methods = value.split(',').map((method) => method.trim())
  const wrong = methods.find((method) => !/^(GET|POST) \/[\w/:.-]*$/.test(method))
  if (wrong !== undefined)
    throw new InvalidArgumentError(`"${wrong}" is not like POST /quote; commas stand between them`)
  return methods
}

/** A burst below the heaviest request (GET /quote_exact_output weighs 16) would never let it pass. */
const leastBurst = 16
const mostOfAnything = 1e15

const toRate = between(1, 100_000)
const toBurst = between(leastBurst, 1_000_000)

/** The bounds that a plan may be without, the same for `create` and `change`. */
const withBounds = (command: Command) =>
  command
    .option(
      '--concurrent <n>',
      'requests of a key under way at once, of each gateway',
      orNone(between(1, 100_000)),
    )
    .option(
      '--streams <n>',
      'streams of a key at once, of each gateway',
      orNone(between(0, 100_000)),
    )
    .option(
      '--monthly <n>',
      'quotes of a key in a month of UTC, however many it has bought',
      orNone(between(1, mostOfAnything)),
    )
    .option(
      '--methods <list>',
      'what it may ask of all that costs quota: "POST /quote,POST /compare/simulate"',
      orNone(toMethods),
    )

type Options = {
  readonly rate: number
  readonly burst: number
  readonly concurrent?: number | typeof none
  readonly streams?: number | typeof none
  readonly monthly?: number | typeof none
  readonly methods?: readonly string[] | typeof none
}

const names = {
  rate: 'unitsPerSec',
  burst: 'burst',
  concurrent: 'concurrent',
  streams: 'streams',
  monthly: 'unitsPerMonth',
  methods: 'methods',
} as const satisfies Record<keyof Options, keyof PlanLimits>

/** What was given, and nothing else: what is to be taken away is there, and undefined. */
const toChanges = (options: Partial<Options>): Partial<PlanLimits> =>
  Object.fromEntries(
    Object.entries(options).map(([option, value]) => [
      names[option as keyof Options],
      value === none ? undefined : value,
    ]),
  )

const toRow = (plan: Plan, keys: number) => [
  plan.name,
  String(plan.unitsPerSec),
  String(plan.burst),
  ...[plan.concurrent, plan.streams, plan.unitsPerMonth].map((bound) => String(bound ?? none)),
  plan.methods?.join(', ') ?? 'all',
  String(keys),
]

/** `forkyard plans …`: what keys may do, in the configured database; gateways follow within seconds. */
export function plansCommand(print: (text: string) => void, env: Environment = process.env) {
  const withPlans = <value>(use: (store: Store) => Promise<value>) =>
    withStore(readKeyConfig(env), use)
  /** Between two rows of the operators' log, which hold the plan, or the key whose plan it is. */
  const recorded = <value>(
    store: Store,
    p: { readonly command: string; readonly subject: string; readonly asked: object },
    look: () => Promise<unknown>,
    work: () => Promise<value>,
  ) =>
    recordCommand(
      { log: store.operatorLog },
      { ...p, command: `plans ${p.command}`, look: async () => (await look()) ?? null },
      work,
    )
  const ofPlan = (store: Store, name: string) => async () => ({
    plan: (await store.plans.find(name)) ?? null,
    keys: await store.plans.countKeys(name),
  })

  const plans = new Command('plans').description(
    'what keys may do: rate, burst, requests and streams at once, quotes in a month, methods',
  )
  plans
    .command('list')
    .description('every plan, and how many keys have it')
    .action(async () => {
      const rows = await withPlans(async (store) =>
        Promise.all(
          (await store.plans.list()).map(async (plan) =>
            toRow(plan, await store.plans.countKeys(plan.name)),
          ),
        ),
      )
      printTable(print, {
        head: ['name', 'rate', 'burst', 'concurrent', 'streams', 'monthly', 'methods', 'keys'],
        rows,
      })
      print(`keys without one: RATE_LIMIT_PER_SECOND, RATE_LIMIT_BURST and no other bound\n`)
    })
  withBounds(
    plans
      .command('create')
      .description('a plan of this name; bounds that are not given there are none')
      .argument('<name>', 'of the plan', toName)
      .requiredOption('--rate <n>', 'units per second and key', toRate)
      .requiredOption('--burst <n>', 'burst per key', toBurst),
  ).action(async (name: string, options: Options) => {
    const plan = { ...toChanges(options), name, unitsPerSec: options.rate, burst: options.burst }
    const isMade = await withPlans((store) =>
      recorded(store, { command: 'create', subject: name, asked: plan }, ofPlan(store, name), () =>
        store.plans.create(plan),
      ),
    )
    if (!isMade) throw new Error(`there is a plan ${name} already; see forkyard plans change`)
    print(`${name} is made\n`)
  })
  withBounds(
    plans
      .command('change')
      .description(
        `change what is given, for all its keys; "${none}" takes a bound away but of rate and burst, or lets all methods`,
      )
      .argument('<name>', 'of the plan', toName)
      .option('--rate <n>', 'units per second and key', toRate)
      .option('--burst <n>', 'burst per key', toBurst),
  ).action(async (name: string, options: Partial<Options>) => {
    const changes = toChanges(options)
    const isChanged = await withPlans((store) =>
      recorded(
        store,
        { command: 'change', subject: name, asked: { ...options } },
        ofPlan(store, name),
        () => store.plans.change(name, changes),
      ),
    )
    if (!isChanged) throw noSuchPlan(name)
    print(`${name} is changed\n`)
  })
  plans
    .command('remove')
    .description('a plan that no key has')
    .argument('<name>', 'of the plan', toName)
    .action(async (name: string) => {
      const left = await withPlans((store) =>
        recorded(store, { command: 'remove', subject: name, asked: {} }, ofPlan(store, name), () =>
          store.plans.remove(name),
        ),
      )
      if (left === undefined) throw noSuchPlan(name)
      if (left > 0) throw new Error(`${left} keys have the plan ${name}; see forkyard plans assign`)
      print(`${name} is removed\n`)
    })
  plans
    .command('assign')
    .description('give a key a plan')
    .argument('<key>', 'id of the key')
    .argument('<name>', `of the plan; ${usual}: the limits of the settings`)
    .action(async (keyId: string, given: string) => {
      const name = given === usual ? undefined : given
      const outcome = await withPlans((store) =>
        recorded(
          store,
          { command: 'assign', subject: keyId, asked: { plan: given } },
          async () => ({ plan: (await store.keys.find(keyId))?.plan ?? null }),
          () => store.plans.assign({ keyId, name }),
        ),
      )
      if (outcome === 'no plan') throw noSuchPlan(given)
      if (outcome === 'no key') throw noSuchKey(keyId)
      print(`${keyId} has the plan ${given}\n`)
    })
  return plans
}
