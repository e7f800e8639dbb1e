import { forkParameters } from '../forkParameters.ts'
import type { ForkEngine } from './forkEngine.ts'

type Request = Omit<Parameters<ForkEngine['start']>[0], 'niceness'>

/** What an anvil in a container is started with: `--chain-id 1 --no-cors` for `{ chainId: 1, noCors: true }`. */
export function anvilFlags({ upstreamHost, upstreamPort, upstreamPath, ...block }: Request) {
  const parameters = forkParameters({
    chainId: block.chainId,
    upstreamUrl: `http://${upstreamHost}:${upstreamPort}${upstreamPath}`,
    blockNumber: BigInt(block.blockNumber),
    settings: block,
  })
  return Object.entries(parameters).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return value === true ? [flag] : [flag, String(value)]
  })
}
