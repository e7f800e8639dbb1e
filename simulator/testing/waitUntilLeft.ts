import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { waitFor } from './waitFor.ts'

/** Until nobody is connected to it any more. */
export function waitUntilLeft(server: Server): Promise<number> {
  const count = promisify<number>(server.getConnections.bind(server))
  return waitFor('its connections are closed', async () => (await count()) === 0)
}
