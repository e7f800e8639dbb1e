/** What the docs read of a schema. */
export type Shape = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
}

/** The fields of a schema at every depth: `steps[].pool`. */
export function listFields(
  shape: Shape,
  prefix = '',
): [field: string, shape: Shape, isRequired: boolean][] {
  return Object.entries(shape.properties ?? {}).flatMap(([key, child]) => {
    const field = `${prefix}${key}`
    const isRequired = (shape.required ?? []).includes(key)
    const inner = child.items
      ? listFields(child.items, `${field}[].`)
      : listFields(child, `${field}.`)
    return [[field, child, isRequired] as [string, Shape, boolean], ...inner]
  })
}

export function describeType({
  type,
  format,
  enum: values,
  default: fallback,
  items,
}: Shape): string {
  const base = items ? `array of ${describeType(items)}` : [type ?? 'any'].flat().join(' or ')
  return [
    format ? `${base} (${format})` : base,
    values ? `: ${values.join(', ')}` : '',
    fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`,
  ].join('')
}
