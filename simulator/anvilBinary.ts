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
