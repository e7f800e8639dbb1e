import { ConfigError } from './readSettings.ts'

/** Of a setting whose pattern was checked: names and percent-encoded values. */
export function readHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text === '' ? [] : text.split(',')
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
      }),
    )
  } catch (cause) {
    throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS must be percent-encoded', { cause })
  }
}
