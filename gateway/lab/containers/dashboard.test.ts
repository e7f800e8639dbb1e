import { readFileSync } from 'node:fs'
import { everyMetric } from '../../../fixtures/docs/everyMetric.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createRuleTests, ruleFiles } from './testing/ruleTests.ts'
import { testRules } from './testing/runPromtool.ts'
import { readPanels } from './testing/watchedLab.ts'

/** What the dashboard and the rules ask, asked of Prometheus' own engine over the series that a gateway has. */
const s = suite('the dashboard')

type Target = { readonly expr: string; readonly legendFormat: string }
const panels = readPanels()
const targets = panels.flatMap((panel) => panel.targets)

const registry = everyMetric()
const samples = (await registry.metrics())
  .split('\n')
  .flatMap((line) => [...line.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/g)])
  .map(([, name = '', labels = '']) => ({ name, labels }))
const namesOf = (labels: string) => [...labels.matchAll(/(\w+)="/g)].map(([, name = '']) => name)
const byScraping = 'instance="a:8090",job="gateway"'
const kinds = new Map(
  (await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]),
)

/** With figures in every series; `missing` where one of them has not what its legend names. */
function toQuery({ expr, legendFormat }: Target): string {
  const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
  const marked = named.reduce(
    (inner, label) => `label_replace(${inner}, "missing", "${label}", "${label}", "")`,
    `(${expr}) > -Inf`,
  )
  return `group by (missing) (${marked})`
}
/** Every series grows by one at each look, for as long as the longest range of a query. */
const askAll = (asked: readonly Target[]) =>
  testRules(
    JSON.stringify({
      evaluation_interval: '30s',
      tests: [
        {
          interval: '30s',
          input_series: samples.map(({ name, labels }) => ({
            series: `${name}{${[labels, byScraping].filter(Boolean).join(',')}}`,
            values: '1+1x140',
          })),
          promql_expr_test: asked.map((target) => ({
            expr: toQuery(target),
            eval_time: '70m',
            exp_samples: [{ labels: '{}', value: 1 }],
          })),
        },
      ],
    }),
  )
/** Functions of what only grows, given something else, or the other way round. */
const misused = (expr: string) =>
  [...expr.matchAll(/\b(rate|increase|deriv|predict_linear)\((\w+)/g)].filter(
    ([, call = '', name = '']) =>
      ['deriv', 'predict_linear'].includes(call) !==
      (kinds.get(name.replace(/_(bucket|count|sum)$/, '')) === 'gauge'),
  )

s('has figures, and the labels of its legends, in every panel [24/dashboard]', async () => {
  assert.ok(targets.length >= panels.length)
  const told = await askAll(targets)
  if (told !== undefined) assert.match(told, 'SUCCESS')
  assert.equal(
    targets.flatMap(({ expr }) => misused(expr)),
    [],
  )
})

s('would not with a wrong name, label, value or grammar [24/dashboard-teeth]', async () => {
  const [kind, units] = ['{{kind}}', 'forkyard_quota_units']
  const planted = [
    { expr: 'max by (kind) (forkyard_quota_unit)', legendFormat: kind },
    { expr: `max by (knd) (${units})`, legendFormat: kind },
    { expr: `max by (kind) (${units}{kind="usd"})`, legendFormat: kind },
    { expr: `max by (kind) (${units}{chain="8453"})`, legendFormat: kind },
    { expr: `max by (kind) (${units}`, legendFormat: kind },
  ]
  for (const target of planted) {
    const told = await askAll([target]).catch(({ message }: Error) => message)
    if (told !== undefined) assert.not.match(told, 'SUCCESS')
  }
  assert.is(misused(`rate(${units}[1m])`).length, 1)
  assert.is(misused('deriv(forkyard_http_requests_total[1m])').length, 1)
})

s('shows nodes, simulation, sources, relay and money, whole [24/dashboard-whole]', () => {
  // Its age says as much of a fork.
  const shownOtherwise = ['forkyard_fork_block']
  const asked = targets.map(({ expr }) => expr).join('\n')
  const areas = /^forkyard_(?:upstream|fork|source|relay|quota|payments|settlements|own_limit)/
  const names = [...kinds.keys()].filter((name) => areas.test(name))
  assert.ok(names.length >= 18)
  assert.equal(
    names.filter((name) => !new RegExp(`\\b${name}(?:_bucket)?\\b`).test(asked)),
    shownOtherwise,
  )
})

s('and the rules ask for metrics that a gateway has, with their labels [24/rules-metrics]', () => {
  const known = new Map<string, Set<string>>()
  for (const { name, labels } of samples)
    known.set(name, new Set([...(known.get(name) ?? []), ...namesOf(`${labels},${byScraping}`)]))
  for (const path of ruleFiles) {
    const names = readFileSync(path, 'utf8').match(/(?<![:\w])(?:forkyard|nodejs)_\w+/g) ?? []
    assert.ok(names.length > 0, path)
    for (const name of names) assert.ok(known.has(name), `${path}: ${name}`)
  }
  // What each rule is tested with is what it fires for.
  const { tests } = JSON.parse(createRuleTests().text) as {
    readonly tests: readonly { readonly input_series: readonly { readonly series: string }[] }[]
  }
  for (const { series } of tests.flatMap(({ input_series }) => input_series)) {
    const [name = '', labels = ''] = series.split('{')
    if (name === 'up') continue
    for (const label of namesOf(labels)) assert.ok(known.get(name)?.has(label), series)
  }
})
s.run()
