import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readImportGraph, walkFrom } from '../fixtures/house/importGraph.ts'
import { findTestsOf, findUntested, isTest, processes, subjectOf } from '../fixtures/house/tests.ts'
import { assert, suite } from '../fixtures/test.ts'

const s = suite('which folder knows which')
const root = join(import.meta.dirname, '..')
const files = readImportGraph()

/** Folders that other folders' files name. */
function readArrows(): ReadonlyMap<string, ReadonlySet<string>> {
  const arrows = new Map<string, Set<string>>()
  for (const [file, named] of files) {
    if (isTest(file)) continue
    const from = dirname(file)
    const known = arrows.get(from) ?? new Set()
    arrows.set(from, known)
    for (const to of named.map((path) => dirname(path))) if (to !== from) known.add(to)
  }
  return arrows
}

/** A way from a folder back to itself, if there is one. */
function findCircle(
  arrows: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): readonly string[] | undefined {
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (let folder = open.shift(); folder !== undefined; folder = open.shift())
    for (const next of arrows.get(folder) ?? []) {
      if (next === start) return walkBack(cameFrom, { start, from: folder })
      if (cameFrom.has(next)) continue
      cameFrom.set(next, folder)
      open.push(next)
    }
  return undefined
}

function walkBack(
  cameFrom: ReadonlyMap<string, string>,
  { start, from }: { readonly start: string; readonly from: string },
): readonly string[] {
  const way: string[] = []
  for (let at: string | undefined = from; at !== undefined && at !== start; at = cameFrom.get(at))
    way.unshift(at)
  return [start, ...way, start]
}

const arrows = readArrows()
const isFixture = (folder: string) => folder.startsWith('fixtures')
const isTesting = (folder: string) => /\/testing(\/|$)/.test(folder)

s('sees the arrows that are there', () => {
  assert.ok(arrows.get('gateway/routing/wire')?.has('gateway/routing'))
  assert.ok(arrows.get('gateway/routing/sync/shared')?.has('gateway/routing/sync'))
})

s('finds a circle where there is one, and none where there is none', () => {
  const to = (...folders: string[]) => new Set(folders)
  const round = new Map([
    ['a', to('b')],
    ['b', to('c')],
    ['c', to('a')],
    ['d', to('a')],
  ])
  assert.equal(findCircle(round, 'a'), ['a', 'b', 'c', 'a'])
  assert.is(findCircle(round, 'd'), undefined)
})

s('no folders point at each other, directly or around [house/no-circles]', () => {
  const circles = [...arrows.keys()].flatMap((folder) => findCircle(arrows, folder) ?? [])
  assert.equal(circles, [])
})

s('a quote passes fewer than eleven rooms on its way [house/quote-walk]', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const [line = ''] = /^- \*\*A quote\*\*.*$/m.exec(text) ?? []
  const stops = [...line.matchAll(/`(\w+\/[\w/]+)`/g)].map(([, stop = '']) =>
    stop.startsWith('simulator/') ? `${stop}.ts` : `gateway/${stop}.ts`,
  )
  assert.equal(
    stops.filter((stop) => !files.has(stop)),
    [],
  )
  assert.ok(stops.length > 10)
  const start = 'gateway/routing/wire/routes.ts'
  const cameFrom = walkFrom(files, [start])
  const apart = stops.filter((stop) => stop !== start && !cameFrom.has(stop))
  // Whoever charges is handed in.
  assert.equal(apart, ['gateway/http/service.ts', 'gateway/access/chargeRequest.ts'])
  const ways = stops.flatMap((stop) =>
    apart.includes(stop) ? [stop] : walkBack(cameFrom, { start, from: stop }),
  )
  assert.equal([...new Set(ways.map((file) => dirname(file)))].sort(), [
    'gateway/access',
    'gateway/http',
    'gateway/routing',
    'gateway/routing/engine',
    'gateway/routing/protocols',
    'gateway/routing/sync',
    'gateway/routing/wire',
    'simulator',
  ])
})

s('every source is reached by a test [house/covered]', () => {
  assert.equal(findUntested(files), [])
  const alone = new Map([...files, ['gateway/alone.ts', []] as const])
  assert.equal(findUntested(alone), ['gateway/alone.ts'])
  for (const started of processes) assert.ok(files.has(started), started)
})

s('tests of a source: its own, those of its folder before others as far [house/tests]', () => {
  const users = ['near/a.test.ts', 'far/b.test.ts', 'near/door.ts', 'near/own.test.ts']
  const graph = new Map(users.map((user) => [user, ['near/own.ts']]))
  graph.set('near/c.test.ts', ['near/door.ts'])
  assert.equal(
    findTestsOf(graph, 'near/own.ts').map(({ test }) => test),
    ['near/own.test.ts', 'near/a.test.ts', 'far/b.test.ts', 'near/c.test.ts'],
  )
})

/** They start the command line, try what stands in fixtures, or read files that are no modules. */
const readNoNeighbour = [
  'fixtures/package/workflows.test.ts',
  'gateway/access/claimAttacks.test.ts',
  'gateway/commands/cli.test.ts',
  'gateway/deploy/operators.fork.test.ts',
  'gateway/lab/containers/changedSettings.docker.ts',
  'gateway/lab/containers/composeFiles.test.ts',
  'gateway/lab/containers/frontDoor.test.ts',
  'gateway/lab/containers/kubernetes.test.ts',
  'gateway/lab/containers/kubernetesBackups.test.ts',
  'gateway/lab/containers/kubernetesForks.test.ts',
  'gateway/lab/containers/kubernetesPolicies.test.ts',
  'gateway/lab/containers/optionalSecrets.test.ts',
  'gateway/lab/control/control.fork.test.ts',
  'gateway/lab/faults/labFaults.fork.test.ts',
  'gateway/lab/packs/packCommands.fork.test.ts',
]

s('a test stands beside its source, or where its scenario happens [house/test-names]', () => {
  const wrong = [...files.keys()].filter((test) => {
    if (!isTest(test) || files.has(subjectOf(test)) || readNoNeighbour.includes(test)) return false
    // Of the whole house, or of contracts, which no import leads to.
    if (['gateway', 'fixtures', 'contracts'].includes(dirname(test))) return false
    const reached = walkFrom(files, [test])
    return ![...reached.keys()].some((file) => file.startsWith(`${dirname(test)}/`))
  })
  assert.equal(wrong, [])
})

s('what is served does not rest on what tests and benches use', () => {
  const mayUse = (folder: string) =>
    isFixture(folder) || isTesting(folder) || /^gateway\/(lab|bench)/.test(folder)
  const wrong = [...arrows].flatMap(([folder, known]) =>
    mayUse(folder)
      ? []
      : [...known]
          .filter((other) => isFixture(other) || isTesting(other))
          .map((other) => `${folder} -> ${other}`),
  )
  assert.equal(wrong, [])
})

s.run()
