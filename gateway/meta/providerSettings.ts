import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import type { Address } from 'viem'
import { type ProviderSetting, providers } from './sources/providers.ts'

const Setting = Type.Object(
  {
    key: Type.Optional(Type.String({ minLength: 1 })),
    baseUrl: Type.Optional(Type.String({ pattern: '^https?://' })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 30_000 })),
    perSecond: Type.Optional(Type.Integer({ minimum: 1 })),
    enabled: Type.Optional(Type.Boolean()),
    contracts: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[0-9]+$' }),
        Type.Array(Type.Unsafe<Address>({ type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' })),
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
const Settings = Type.Record(Type.String(), Setting)
type Given = Omit<ProviderSetting, 'name'> & { readonly enabled?: boolean | undefined }
const ajv = new Ajv2020({ meta: false, validateSchema: false })
const validate = ajv.compile<Record<string, Given>>(Settings)

/** Thrown for a setting that names no provider or is not understood. Never carries the text: it has keys. */
export class ProviderSettingsError extends Error {
  override readonly name = 'ProviderSettingsError'
}

function parse(text: string): unknown {
  if (!text.trimStart().startsWith('{'))
    return Object.fromEntries(text.split(',').map((name) => [name.trim(), {}]))
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderSettingsError('is neither a list of names nor JSON')
  }
}

/**
 * The providers to ask: `velora,kyberswap`, or with settings
 * `{"0x": {"key": "…", "perSecond": 5}, "velora": {"enabled": false}}`. Empty: none.
 */
export function readProviderSettings(text: string): readonly ProviderSetting[] {
  if (text.trim() === '') return []
  const value = parse(text)
  if (!validate(value)) {
    const [error] = validate.errors ?? []
    throw new ProviderSettingsError(`${error?.instancePath.slice(1)} ${error?.message}`)
  }
  return Object.entries(value).flatMap(([name, { enabled = true, ...setting }]) => {
    const provider = providers.find((candidate) => candidate.name === name)
    if (!provider) {
      const known = providers.map((candidate) => candidate.name).join(', ')
      throw new ProviderSettingsError(`there is no provider ${name}; known are ${known}`)
    }
    if (provider.auth === 'required' && setting.key === undefined)
      throw new ProviderSettingsError(`${name} needs a key`)
    return enabled ? [{ ...setting, name }] : []
  })
}
