import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { type HttpError, httpError } from './httpError.ts'
import { formats } from './schemas.ts'

const options = {
  strict: true,
  // To compile JSON Schema's own schema would cost each start some 0.2 s: a test holds ours against it.
  meta: false,
  validateSchema: false,
  useDefaults: true,
  allowUnionTypes: true,
  ownProperties: true,
  verbose: true,
}
const ajv = new Ajv2020(options)
for (const [name, { validate }] of Object.entries(formats)) ajv.addFormat(name, { validate })

export type Validate = (value: unknown) => HttpError | undefined

/** Fills defaults in and returns the refusal of the first field that is wrong. */
export function createValidate(schema: TSchema, kind: 'body' | 'query' | 'params'): Validate {
  // Compiled for the first request: a service has many endpoints that nobody asks for long.
  let validate: ValidateFunction | undefined
  const coerce = kind === 'body' ? undefined : createCoerce(schema)
  return (value) => {
    coerce?.(value)
    validate ??= ajv.compile(schema)
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    const { field, reason } = describe(error)
    if (field === '') return httpError('invalidRequest', `the ${kind} ${reason}`)
    return httpError('invalidRequest', `${field} ${reason}`, { details: [{ field, reason }] })
  }
}

/**
 * Queries and path parameters are all strings: turns those that stand for a number or a boolean into one,
 * in place. ajv's own coercion takes hex, exponents and blanks too, and lets Infinity pass every limit.
 */
function createCoerce(schema: TSchema): (value: unknown) => void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const wanted = Object.entries(properties).flatMap(([name, { type }]) => {
    const literal = [type].flat().find((each) => typeof each === 'string' && each in literals)
    return literal === undefined ? [] : [[name, literal as keyof typeof literals] as const]
  })
  return (value) => {
    const record = value as Record<string, unknown>
    for (const [name, type] of wanted) {
      const text = record[name]
      // JSON.parse reads exactly these forms: digits, and the two words.
      if (typeof text === 'string' && literals[type].test(text)) record[name] = JSON.parse(text)
    }
  }
}

const literals = {
  integer: /^(0|-?[1-9]\d{0,15})$/,
  number: /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/,
  boolean: /^(true|false)$/,
} as const

/** Whether a value fits an output schema; undefined when it does, else what is wrong. For tests. */
export function checkShape(schema: TSchema, value: unknown): string | undefined {
  const validate = ajv.compile(schema)
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
}

function describe(error: ErrorObject | undefined): { field: string; reason: string } {
  if (!error) return { field: '', reason: 'is not valid' }
  const path = toPath(error.instancePath)
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty'])
    return { field: path === '' ? missing : `${path}.${missing}`, reason: 'is required' }
  }
  return { field: path, reason: reasonOf(error) }
}

function reasonOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === 'type') {
    const types = [params['type']].flat().map((type) => typeWords[String(type)] ?? String(type))
    return `must be ${types.join(' or ')}`
  }
  if (keyword === 'enum') return `must be one of ${[params['allowedValues']].flat().join(', ')}`
  // A format's words also stand for the pattern that OpenAPI readers see beside it.
  const format: unknown = parentSchema?.['format']
  if ((keyword === 'format' || keyword === 'pattern') && typeof format === 'string')
    return `must be ${formats[format as keyof typeof formats].words}`
  if (keyword === 'pattern') return `must match ${String(params['pattern'])}`
  if (keyword === 'minItems') return `must have at least ${String(params['limit'])} entries`
  if (keyword === 'maxItems') return `must have at most ${String(params['limit'])} entries`
  return message ?? 'is not valid'
}

/** `/candidates/0/target` as `candidates[0].target`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`
      return path === '' ? part : `${path}.${part}`
    }, '')
}
