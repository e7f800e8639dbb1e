import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { type HttpError, httpError } from './httpError.ts'
import { formats } from './schemas.ts'

const options = {
  strict: true,
  useDefaults: true,
  allowUnionTypes: true,
  ownProperties: true,
  verbose: true,
}
/** Bodies: `"8453"` is not a number. Queries and path parameters: everything is a string, so coerce. */
const bodies = new Ajv2020(options)
const queries = new Ajv2020({ ...options, coerceTypes: true })
for (const ajv of [bodies, queries])
  for (const [name, { validate }] of Object.entries(formats)) ajv.addFormat(name, { validate })

export type Validate = (value: unknown) => HttpError | undefined

/** Fills defaults in and returns the refusal of the first field that is wrong. */
export function createValidate(schema: TSchema, kind: 'body' | 'query' | 'params'): Validate {
  const validate: ValidateFunction = (kind === 'body' ? bodies : queries).compile(schema)
  return (value) => {
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    const { field, reason } = describe(error)
    if (field === '') return httpError('invalidRequest', `the ${kind} ${reason}`)
    return httpError('invalidRequest', `${field} ${reason}`, { details: [{ field, reason }] })
  }
}

/** Whether a value fits an output schema; undefined when it does, else what is wrong. For tests. */
export function checkShape(schema: TSchema, value: unknown): string | undefined {
  const validate = bodies.compile(schema)
  return validate(value) ? undefined : bodies.errorsText(validate.errors)
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
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`
      return path === '' ? part : `${path}.${part}`
    }, '')
}
