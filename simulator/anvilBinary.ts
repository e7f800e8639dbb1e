import { createRequire } from 'node:module'

/**
 * The platform's own anvil. The wrapper of the npm package exits 0 when anvil fails, and a killed
 * wrapper leaves its anvil behind.
 */
export function anvilBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const require = createRequire(
    createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'),
  )
  return require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil${suffix}`)
}

/**
 * Worker threads of an anvil that forks. A read of state it does not have yet blocks its worker until
 * the upstream answers, and the upstream's connection may be served by one of these very workers: with
 * as many as cores (its default), a few such reads at once leave none, and anvil hangs until they time out.
 */
export const forkThreads = 32
