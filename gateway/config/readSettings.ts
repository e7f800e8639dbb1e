import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Static, TObject } from 'typebox'

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

const ajv = new Ajv2020({
  meta: false,
  validateSchema: false,
  coerceTypes: true,
  useDefaults: true,
  allErrors: true,
})

/** Reads the named variables, or the files that `NAME_FILE` points to. */
export function pickSettings(names: readonly string[], prefix: string, env: Environment) {
  const values: Record<string, string> = {}
  for (const name of names) {
    const value = env[prefix + name]
    const path = env[`${prefix}${name}_FILE`]
    if (value) values[name] = value
    else if (path && !names.includes(`${name}_FILE`)) values[name] = readSecret(prefix + name, path)
  }
  return values
}

function readSecret(name: string, path: string) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`${name}_FILE: cannot read ${path}`, { cause })
  }
}

/** Where every fault is gathered: whoever mends one wants to know of the others. */
export type Reading = { readonly env: Environment; readonly faults: string[] }

/** A setting that is wrong is a fault, and goes on as its default. */
export function read<schema extends TObject>(
  { env, faults }: Reading,
  { schema, prefix }: { readonly schema: schema; readonly prefix: string },
): Static<schema> {
  const validate = ajv.compile<Static<schema>>(schema)
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(schema.properties)) {
    const one = attempt(faults, () => pickSettings([name], prefix, env)) ?? {}
    const given = { ...one }
    if (validate(given)) Object.assign(values, one)
    else faults.push(`${prefix}${name} ${validate.errors?.[0]?.message}`)
  }
  const whole: unknown = values
  if (validate(whole)) return whole
  throw new ConfigError(`${prefix}: ${ajv.errorsText(validate.errors)}`)
}

export function attempt<value>(faults: string[], work: () => value): value | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    faults.push(error.message)
    return undefined
  }
}
