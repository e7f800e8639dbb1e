import { randomInt } from 'node:crypto'

/**
 * A loopback address for what guards itself against nobody: an anvil takes websockets, and with them every
 * method, from any page that finds it. On Linux all of 127/8 is this machine, too much for a page to try;
 * elsewhere there is one address.
 */
export function hiddenLoopback(platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'linux') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`
}
