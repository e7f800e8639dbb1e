import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import Database from 'better-sqlite3'
import {
  makeBackupFolder,
  untilReceived,
  readUsed as usedStatement,
} from '../fixtures/backups/backupScene.ts'
import { passOver } from '../fixtures/debianPrograms.ts'
import {
  type GatewayProcess,
  type GatewaySettings,
  prepareGateway,
  runCommand,
} from '../fixtures/processes/gatewayProcess.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { query, startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain } from '../fixtures/world.ts'
import { waitFor } from '../simulator/testing/waitFor.ts'
import {
  type Calling,
  countAnswered,
  readBooked,
  startCallers,
  tellCounts,
} from './lab/containers/testing/countCallers.ts'
import { type Door, startDoor, toUpstream } from './lab/containers/testing/startDoor.ts'
import { openBackups } from './store/backups/openBackups.ts'

/**
 * `npm run -s proof:operations`: what an operator does at night, under load behind the production stacks' own
 * proxy: gateways moved, clocks stepped, the certificate renewed, the pepper rotated, a plan changed, the database
 * put back. After each the books balance, what callers were answered was booked, and all is whole within 10 s.
 */
const wholeMs = 10_000
const ofEachKind = 2
/** Each of the callers has been answered once more, by then. */
const allOfThem = 4 * ofEachKind
/** Answers before and after an operation. */
const enough = byLength({ short: 60, long: 1_000 })
const patient = { deadlineMs: 120_000, everyMs: 20 }
const pepper = 'a pepper of more than thirty-two characters'
const nextPepper = 'the next pepper, of more than thirty-two characters'

const s = suite('operations under load')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-operations-'))
const [base, arbitrum, postgres] = await Promise.all([
  startWorldChain({ chainId: 8453 }),
  startWorldChain({ chainId: 42161 }),
  startPostgres(),
])
s.after(async () => {
  await Promise.all([base.close(), arbitrum.close(), postgres?.close()])
  rmSync(dir, { recursive: true })
})
const settingsOf = (name: string, databaseUrl?: string): GatewaySettings => {
  const folder = join(dir, name)
  mkdirSync(folder)
  return {
    dir: folder,
    pepper,
    databasePath: join(folder, 'forkyard.sqlite'),
    databaseUrl,
    baseRpcUrl: base.rpcUrl,
    arbitrumRpcUrl: arbitrum.rpcUrl,
  }
}
const quoteOf = (count: number) => {
  const { chainId, manifest } = count % 2 === 0 ? base : arbitrum
  return {
    chain_id: chainId,
    token_in: manifest.tokens['WETH']?.address,
    token_out: manifest.tokens['USDC']?.address,
    amount_in: `${10 ** 15 + count}`,
  }
}

type Scene = {
  readonly settings: GatewaySettings
  readonly gateways: readonly GatewayProcess[]
  readonly door: Door
  readonly key: { readonly id: string; readonly apiKey: string }
}
async function openScene(settings: GatewaySettings, count: number): Promise<Scene | undefined> {
  const created = await runCommand(settings, {
    args: ['keys', 'create', 'test', '--quotes', '1000000'],
  })
  const [id = '', apiKey = ''] = created.split('\n')
  const gateways: GatewayProcess[] = []
  while (gateways.length < count) gateways.push(await prepareGateway(settings))
  const door = await startDoor({
    gatewayPort: gateways[0]?.port ?? 0,
    change: toUpstream(gateways.map(({ port }) => port)),
  })
  return door && { settings, gateways, door, key: { id, apiKey } }
}
async function closeScene({ gateways, door }: Scene) {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  await door.close()
}

type Operation = {
  readonly name: string
  /** What callers may meet beside answers while it lasts; nothing of it is booked. */
  readonly mayMeet?: readonly (number | string)[]
  /** Gateways that it stops: each may reset one new connection that comes in the last turn of its loop, unheard. */
  readonly stops?: number
  /** How many of the answers so far are booked no more. */
  readonly run: (calling: Calling) => Promise<number>
}

function untilAnswered({ answered }: Calling, count: number) {
  const at = answered()
  return waitFor('callers are answered', () => answered() > at + count, patient)
}
function untilMet({ met }: Calling, status: number, count: number) {
  const at = met(status)
  return waitFor(`callers meet ${status}`, () => met(status) > at + count, patient)
}

async function operate(scene: Scene, { name, mayMeet = [], stops = 0, run }: Operation) {
  const callers = { port: scene.door.tls, apiKey: scene.key.apiKey }
  const before = await readBooked(callers)
  const calling = startCallers(callers, { ofEachKind, bodyOf: quoteOf })
  await untilAnswered(calling, enough)
  const startedMs = performance.now()
  const undone = await run(calling)
  const tookMs = performance.now() - startedMs
  const backMs = await untilAnswered(calling, allOfThem)
  await untilAnswered(calling, enough)
  const kinds = await calling.stop()
  const booked = (await readBooked(callers)) - before
  // It ends with 1 where the books do not balance.
  await runCommand(scene.settings, { args: ['audit'] })
  reportFigures(`${name}, under load`, {
    'took, in ms': Math.round(tookMs),
    'whole after, in ms': Math.round(backMs),
    ...Object.fromEntries(kinds.map((kind) => [kind.name, tellCounts(kind.counts)])),
    'answered, and booked': `${countAnswered(kinds)}, ${booked}`,
  })
  assert.is(booked, countAnswered(kinds) - undone)
  assert.ok(backMs < wholeMs, `whole after ${backMs} ms`)
  const unheard = mayMeet.includes(502) ? 0 : calling.met(502)
  assert.ok(unheard <= stops, `${unheard} unheard by ${stops} that stopped`)
  for (const kind of kinds) {
    const others = [...kind.counts.keys()].filter((met) => ![200, 502, ...mayMeet].includes(met))
    assert.equal(others, [], `${kind.name}: ${tellCounts(kind.counts)}`)
  }
}

/** Each in turn, so that there is always one that serves. */
async function restartEach(gateways: readonly GatewayProcess[], env?: NodeJS.ProcessEnv) {
  for (const gateway of gateways) {
    assert.equal(await gateway.stop(), [0, null])
    await gateway.start(env)
  }
}

/** A clock that processes with its environment read, set in seconds from this machine's. */
function fakeClock(folder: string) {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (!library) {
    passOver({ name: 'libfaketime', debianPackage: 'libfaketime' })
    return undefined
  }
  const path = join(folder, 'clock')
  const set = (offset: string) => writeFileSync(path, `${offset}\n`)
  set('+0')
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: path,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}

/** The name that the certificate is for which callers are shown. */
const readCertificate = ({ tls }: Door) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({
      port: tls,
      rejectUnauthorized: false,
      servername: 'routing.localhost',
    })
    socket.on('error', reject).on('secureConnect', () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
  })

s(
  'two gateways of one PostgreSQL, and a third that takes over from one [24/operations]',
  async () => {
    if (!postgres) return passOver({ name: 'postgres', debianPackage: 'postgresql' })
    const settings = settingsOf('two', await postgres.createDatabase())
    const clock = fakeClock(settings.dir)
    const scene = await openScene(settings, 3)
    if (!scene || !clock) return
    const { door, key, gateways } = scene
    const [first, ...others] = gateways as [GatewayProcess, GatewayProcess, GatewayProcess]
    const [second, third] = others
    const command = (...args: readonly string[]) => runCommand(settings, { args })
    try {
      for (const gateway of [first, second]) await gateway.start(clock.env)
      await operate(scene, {
        name: 'gateways replaced in turn',
        stops: 2,
        async run() {
          await restartEach([first, second], clock.env)
          return 0
        },
      })
      await operate(scene, {
        name: 'a node drained: its gateway starts elsewhere first',
        stops: 1,
        async run() {
          await third.start(clock.env)
          assert.equal(await first.stop(), [0, null])
          return 0
        },
      })
      await operate(scene, {
        name: 'clocks stepped an hour ahead, an hour behind, and back',
        async run(calling) {
          for (const offset of ['+3600', '-3600', '+0']) {
            clock.set(offset)
            await untilAnswered(calling, enough)
          }
          return 0
        },
      })
      await operate(scene, {
        name: 'certificate renewed',
        // A connection that is silent at that moment is closed, and its next request has not arrived.
        mayMeet: ['ECONNRESET', 'EPIPE'],
        async run() {
          await door.renew('renewed')
          const isShown = async () => (await readCertificate(door)) === 'renewed'
          await waitFor('callers are shown the new one', isShown, patient)
          return 0
        },
      })
      await operate(scene, {
        name: 'plan narrowed, and widened again',
        mayMeet: [429],
        async run(calling) {
          await command('plans', 'create', 'narrow', '--rate', '1', '--burst', '16')
          await command('plans', 'assign', key.id, 'narrow')
          await untilMet(calling, 429, allOfThem)
          await command('plans', 'change', 'narrow', '--rate', '100000', '--burst', '1000000')
          return 0
        },
      })
      await operate(
        { ...scene, settings: { ...settings, pepper: nextPepper } },
        {
          name: 'pepper rotated, and the former one forgotten',
          stops: 4,
          async run() {
            const KEY_PEPPER_FORMER_UNTIL = new Date(Date.now() + 86_400_000)
              .toISOString()
              .slice(0, 10)
            const next = { ...clock.env, KEY_PEPPER: nextPepper }
            const former = { KEY_PEPPER_FORMER: pepper, KEY_PEPPER_FORMER_UNTIL }
            await restartEach(others, { ...next, ...former })
            await restartEach(others, next)
            return 0
          },
        },
      )
    } finally {
      await closeScene(scene)
    }
  },
)

s(
  'two gateways of a PostgreSQL that is put back to a moment [24/operations-postgres]',
  async () => {
    if (!postgres) return passOver({ name: 'postgres', debianPackage: 'postgresql' })
    const address = await postgres.createDatabase()
    const settings = settingsOf('putBack', address)
    const scene = await openScene(settings, 2)
    if (!scene) return
    const folder = makeBackupFolder(address)
    const restored = join(folder, 'data')
    const stands = join(new URL(address).searchParams.get('host') ?? '', 'data')
    const database = { databasePath: '', databaseUrl: address }
    const backups = await openBackups({ database, folder })
    const readUsed = async () => {
      const [row] = await query(address, usedStatement)
      return Number((row as { used: string }).used)
    }
    try {
      for (const gateway of scene.gateways) await gateway.start()
      const before = await readUsed()
      await operate(scene, {
        name: 'PostgreSQL put back to a moment under load',
        mayMeet: [502, 504],
        async run(calling) {
          await backups.make()
          await untilAnswered(calling, enough)
          const least = (await readUsed()) - before
          const moment = new Date().toISOString()
          // What is committed by then may be seen a moment later.
          await untilAnswered(calling, allOfThem)
          const most = (await readUsed()) - before
          await untilAnswered(calling, enough)
          for (const gateway of scene.gateways) assert.equal(await gateway.stop(), [0, null])
          await untilMet(calling, 502, allOfThem)
          const answered = calling.answered()
          await untilReceived(address, folder)
          const args = ['restore', folder, '--to', moment, '--data', restored]
          await runCommand(settings, { args })
          await postgres.crash(async () => {
            renameSync(stands, `${stands}.replaced`)
            renameSync(restored, stands)
          })
          const kept = (await readUsed()) - before
          assert.ok(least > 0 && least <= kept && kept <= most, `${least} <= ${kept} <= ${most}`)
          assert.ok(kept < answered, `${kept} of ${answered}`)
          for (const gateway of scene.gateways) await gateway.start()
          return answered - kept
        },
      })
    } finally {
      await backups.close()
      await closeScene(scene)
      rmSync(folder, { recursive: true })
    }
  },
)

s('one gateway of a SQLite that is put back to a moment [24/operations-sqlite]', async () => {
  const settings = settingsOf('one')
  const scene = await openScene(settings, 1)
  if (!scene) return
  const [gateway] = scene.gateways as [GatewayProcess]
  const backups = join(settings.dir, 'backups')
  mkdirSync(backups)
  const readUsed = (path: string): number => {
    const db = new Database(path, { readonly: true })
    try {
      return Number(db.prepare(usedStatement).pluck().get())
    } finally {
      db.close()
    }
  }
  try {
    await gateway.start()
    const before = readUsed(settings.databasePath)
    await operate(scene, {
      name: 'SQLite put back to a moment under load',
      mayMeet: [502, 504],
      async run(calling) {
        const least = readUsed(settings.databasePath) - before
        await runCommand(settings, { args: ['backups', 'make', backups] })
        const most = readUsed(settings.databasePath) - before
        const moment = new Date().toISOString()
        await untilAnswered(calling, enough)
        assert.equal(await gateway.stop(), [0, null])
        await untilMet(calling, 502, allOfThem)
        const answered = calling.answered()
        await runCommand(settings, { args: ['restore', backups, '--to', moment] })
        const kept = readUsed(settings.databasePath) - before
        // What was booked as the copy was made is there, and what came after it has gone.
        assert.ok(least > 0 && least <= kept && kept <= most, `${least} <= ${kept} <= ${most}`)
        assert.ok(kept < answered, `${kept} of ${answered}`)
        await gateway.start()
        return answered - kept
      },
    })
  } finally {
    await closeScene(scene)
  }
})
s.run()
