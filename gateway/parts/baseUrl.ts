import type { ListenerConfig } from '../config/config.ts'

/** As callers see it, without a slash at the end. */
export const baseUrl = (listener: ListenerConfig) =>
  listener.publicUrl ?? `http://${listener.host}:${listener.port}`
