import { type Static, Type } from 'typebox'
import { keyPrefixOf } from './keyPrefix.ts'
import { ConfigError, type Environment, read } from './readSettings.ts'
import { processSettings } from './settings.ts'

/** What of the configuration API keys depend on. */
export type KeyConfig = {
  readonly databasePath: string
  readonly databaseUrl: string | undefined
  readonly keyPrefix: string
  readonly keyPepper: string
  /** Keys that were hashed under it are valid until then. */
  readonly formerPepper: { readonly pepper: string; readonly untilMs: number } | undefined
}

const keySettings = Type.Pick(processSettings, [
  'FORKYARD_MODE',
  'DATABASE_PATH',
  'DATABASE_URL',
  'KEY_PEPPER',
  'KEY_PEPPER_FORMER',
  'KEY_PEPPER_FORMER_UNTIL',
])

/** A former pepper without an end would never be rotated out. */
export function toFormerPepper(
  {
    KEY_PEPPER_FORMER: pepper,
    KEY_PEPPER_FORMER_UNTIL: until,
  }: Pick<Static<typeof keySettings>, 'KEY_PEPPER_FORMER' | 'KEY_PEPPER_FORMER_UNTIL'>,
  faults: string[],
): KeyConfig['formerPepper'] {
  if (pepper === '' && until === '') return undefined
  const untilMs = Date.parse(until)
  if (pepper.length < 32) faults.push('KEY_PEPPER_FORMER must have at least 32 characters')
  // Date.parse takes February 31 for March 3.
  if (Number.isNaN(untilMs) || !new Date(untilMs).toISOString().startsWith(until.slice(0, 10)))
    faults.push(
      'KEY_PEPPER_FORMER_UNTIL must be a UTC date, as 2027-01-31 or 2027-01-31T12:00Z, when KEY_PEPPER_FORMER counts no more',
    )
  return { pepper, untilMs }
}

/**
 * The settings of commands on keys, which ask no chain.
 * @throws ConfigError naming each variable that is wrong or missing
 */
export function readKeyConfig(env: Environment): KeyConfig {
  const faults: string[] = []
  const settings = read({ env, faults }, { schema: keySettings, prefix: '' })
  if (settings.KEY_PEPPER.length < 32) faults.push('KEY_PEPPER must have at least 32 characters')
  const formerPepper = toFormerPepper(settings, faults)
  if (faults.length > 0) throw new ConfigError(faults.join('; '))
  return {
    databasePath: settings.DATABASE_PATH,
    databaseUrl: settings.DATABASE_URL || undefined,
    keyPrefix: keyPrefixOf(settings.FORKYARD_MODE),
    keyPepper: settings.KEY_PEPPER,
    formerPepper,
  }
}
