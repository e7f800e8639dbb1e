import { accessSync, constants } from 'node:fs'

const socketPaths = ['/var/run/docker.sock', '/run/docker.sock']

/**
 * How this process could command a Docker engine, if it could: whoever takes over the gateway would
 * then own the machine. A file that it may not open does not count.
 */
export function findDockerAccess(
  env: Readonly<Record<string, string | undefined>>,
  paths: readonly string[] = socketPaths,
): string | undefined {
  if (env['DOCKER_HOST']) return 'DOCKER_HOST'
  return paths.find((path) => {
    try {
      accessSync(path, constants.R_OK | constants.W_OK)
      return true
    } catch {
      return false
    }
  })
}
