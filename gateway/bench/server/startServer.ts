import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { HttpTarget } from './measureHttp.ts'
import { quoteBody } from './quoteShape.ts'
import type { Ready } from './reportToParent.ts'

export type BenchServer = HttpTarget & { readonly stop: () => void }

/** Starts a server of this folder in a process of its own, so that its CPU can be told apart. */
export async function startServer(
  name: string,
  file: string,
  args: readonly string[],
): Promise<BenchServer> {
  const child = fork(join(import.meta.dirname, '..', file), args)
  const next = <value>() =>
    new Promise<value>((resolve, reject) => {
      const fail = () => reject(new Error(`${name} ended early`))
      child.once('exit', fail)
      child.once('message', (message) => {
        child.off('exit', fail)
        resolve(message as value)
      })
    })
  const { url, apiKey } = await next<Ready>()
  return {
    name,
    url,
    headers: { 'x-api-key': apiKey },
    body: quoteBody,
    cpuMicros: async () => {
      child.send('cpu')
      return (await next<{ cpuMicros: number }>()).cpuMicros
    },
    stop: () => child.disconnect(),
  }
}
