import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Named values of a vector file: a case's state, or one row by its columns. */
export type Fields = { readonly [name: string]: Json }

export type VectorFile = {
  readonly name: string
  /** The family, in words. */
  readonly protocol: string
  readonly cases: readonly { readonly state: Fields; readonly rows: readonly Fields[] }[]
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !isList(value)
}

/** Every vector file of a folder, in the order of their names. */
export function readVectors(folder: string): readonly VectorFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => {
    const content = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Json
    const parsed = parseFile(name, content)
    if (!parsed) throw new Error(`${name} is not a vector file: protocol, columns and cases`)
    return parsed
  })
}

function parseFile(name: string, content: Json): VectorFile | undefined {
  if (!isFields(content)) return undefined
  const { protocol, columns, cases } = content
  if (typeof protocol !== 'string' || !isList(columns) || !isList(cases)) return undefined
  const parsed = cases.map((state) => {
    if (!isFields(state) || !isList(state['quotes'])) throw new Error(`${name}: a case is broken`)
    const rows = state['quotes'].map((row) => {
      if (!isList(row)) throw new Error(`${name}: a row is broken`)
      return Object.fromEntries(columns.map((column, k) => [String(column), row[k] ?? null]))
    })
    return { state, rows }
  })
  return { name, protocol, cases: parsed }
}

/** An integer, written as a string or a number. */
export function integer(fields: Fields, name: string): bigint {
  const value = fields[name]
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`${name} is not an integer`)
  return BigInt(value)
}

/** An integer, or undefined where the contract reverted. */
export function integerOrRevert(fields: Fields, name: string): bigint | undefined {
  return fields[name] === null ? undefined : integer(fields, name)
}

export function integers(fields: Fields, name: string): readonly bigint[] {
  const value = fields[name]
  if (!isList(value)) throw new Error(`${name} is not a list`)
  return value.map((entry) => BigInt(entry as string | number))
}

export function table(fields: Fields, name: string): readonly (readonly bigint[])[] {
  const value = fields[name]
  if (!isList(value)) throw new Error(`${name} is not a table`)
  return value.map((row) => integers({ row }, 'row'))
}
