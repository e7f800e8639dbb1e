import { type Environment, pickSettings } from '../config/readSettings.ts'

/** The same variables and files as the gateway's; nothing else of its configuration is needed. */
export function readDatabase(env: Environment): {
  readonly url: string | undefined
  readonly path: string
  readonly isNamed: boolean
} {
  const { DATABASE_URL: url, DATABASE_PATH: path } = pickSettings(
    ['DATABASE_URL', 'DATABASE_PATH'],
    '',
    env,
  )
  const isNamed = url !== undefined || path !== undefined
  return { url, path: path ?? 'forkyard.sqlite', isNamed }
}
