import type { Endpoint } from '../../http/endpoint.ts'

/** What quota buys: a row for each charged endpoint. */
export type Resource = {
  readonly method: string
  readonly url: string
  /** Quota units of a request, or of each `per` in it. */
  readonly units: number
  readonly per?: string
}

/** The charged ones among a service's endpoints, under the address that callers use. */
export function listResources(
  endpoints: readonly Endpoint[],
  publicUrl: string,
): readonly Resource[] {
  return endpoints
    .filter(({ isCharged }) => isCharged)
    .map(({ method, path, units, costPer }) => ({
      method: method.toUpperCase(),
      url: publicUrl + path,
      units,
      ...(costPer !== undefined && { per: costPer }),
    }))
}
