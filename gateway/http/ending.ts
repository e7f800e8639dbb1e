/** Why a request's signal fired: its service stops. */
export class ServiceStops extends Error {
  override readonly name = 'ServiceStops'
  constructor() {
    super('the service is stopping')
  }
}

export type Ending = {
  /** Aborts `controller` when the moment comes, or now if it has come; call the answer to be told no more. */
  tell(controller: AbortController): () => void
  come(): void
  hasCome(): boolean
  /** Who would be told now. */
  count(): number
}

/**
 * A moment that all who are under way then are told of. One signal, joined to each request's own by
 * `AbortSignal.any`, would keep each request that leaves a listener on it for as long as the service runs.
 */
export function createEnding(): Ending {
  const told = new Set<AbortController>()
  const reason = new ServiceStops()
  let hasCome = false
  return {
    tell(controller) {
      if (hasCome) controller.abort(reason)
      else told.add(controller)
      return () => void told.delete(controller)
    },
    come() {
      hasCome = true
      for (const controller of told) controller.abort(reason)
      told.clear()
    },
    hasCome: () => hasCome,
    count: () => told.size,
  }
}

/** Streams end as soon as a service stops, everything else when its grace is over. */
export type Endings = { readonly streams: Ending; readonly requests: Ending }

export const createEndings = (): Endings => ({ streams: createEnding(), requests: createEnding() })
