import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import type { OperatorLog } from '../store/operatorLog.ts'
import { tell } from './tell.ts'

/**
 * Who runs this process, by the system's own account: a name, or the number where it has none (a container). Where
 * people share one, as in an image, FORKYARD_OPERATOR is who says so: nobody has compared it with anything.
 * @throws Error where that is no name
 */
export function nameOperator(env: Readonly<Record<string, string | undefined>> = process.env) {
  const by = env['SUDO_USER'] ? ` by sudo of ${env['SUDO_USER']}` : ''
  const claimed = env['FORKYARD_OPERATOR']
  if (!claimed) return `${findName()}${by}`
  if (!/^[\w.@+-]{1,64}$/.test(claimed))
    throw new Error('FORKYARD_OPERATOR must be up to 64 letters, digits and _ . @ + -')
  return `${findName()}${by}, who says to be ${claimed}`
}

function findName(): string {
  try {
    const { username, uid } = userInfo()
    return `${username} (${uid})`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'uv_os_get_passwd') throw error
    return `user ${process.getuid?.()}`
  }
}

type Log = Pick<OperatorLog, 'append'>

/** Of what has to be done though its log takes nothing, as the backup of a full database: that is a warning. */
export const forgiving = (log: Log): Log => ({
  append: (entry) =>
    entry.phase === 'begun'
      ? log
          .append(entry)
          .catch((cause) =>
            tell(`the operators' log does not say that ${entry.command} has begun`, cause),
          )
      : log.append(entry),
})

export type Entry<value> = {
  readonly command: string
  /** What it is done to. */
  readonly subject?: string
  readonly asked: object
  readonly look: (done?: value) => Promise<unknown>
}

/**
 * Runs an operator's command between two rows of the log: the first is durable before anything is done. `look`
 * says how things stand, and tells no secret. Where the second row fails, what was done is returned nonetheless:
 * a new secret exists nowhere else.
 */
export async function recordCommand<value>(
  {
    log,
    now = Date.now,
    warn,
  }: {
    readonly log: Log
    readonly now?: () => number
    readonly warn?: (text: string) => void
  },
  { command, subject = '', asked, look }: Entry<value>,
  work: () => Promise<value>,
): Promise<value> {
  const common = { run: randomUUID(), operator: nameOperator(), command, subject }
  const append = (phase: 'begun' | 'done' | 'failed', detail: object) =>
    log.append({ ...common, phase, detail: toText(detail), atMs: now() })
  async function end(phase: 'done' | 'failed', describe: () => Promise<object>) {
    try {
      await append(phase, await describe())
    } catch (error) {
      tell(`${command} is ${phase}, but the operators' log does not say so`, error, warn)
    }
  }
  await append('begun', { asked, before: await look() })
  let done: value
  try {
    done = await work()
  } catch (error) {
    await end('failed', async () => ({
      reason: error instanceof Error ? error.name : String(error),
    }))
    throw error
  }
  await end('done', async () => ({ after: await look(done) }))
  return done
}

const toText = (detail: object) =>
  JSON.stringify(detail, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
