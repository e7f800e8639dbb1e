import { existsSync, readFileSync } from 'node:fs'
import { processTable } from '../../../simulator/processTable.ts'
import { readCpuMs } from './readTreeCpuMs.ts'

/** What a lab has used since it started. */
export type Usage = {
  /** Processor time in ms: of the gateway, of its simulation forks, of the nodes behind it. */
  readonly gatewayMs: number
  readonly forksMs: number
  readonly nodesMs: number
  /** Calls of the nodes that were sent. */
  readonly upstreamCalls: number
  /** Of the gateway, gone again or not. */
  readonly allocatedBytes: number
}

type Lab = {
  readonly dir: string
  readonly pid: number
  readonly opsUrl: string
  readonly readAllocated: () => Promise<number>
}

/** Linux only. Forks come and go: what each had used when it was last seen stays counted. */
export function createUsageReader({ dir, pid, opsUrl, readAllocated }: Lab) {
  const seen = new Map<number, { readonly isFork: boolean; readonly cpuMs: number }>()
  function readAnvils(): void {
    for (const found of processTable.findWithEntry(`FORKYARD_LAB=${dir}`)) {
      if (!existsSync(`/proc/${found}/cmdline`)) continue
      const command = readFileSync(`/proc/${found}/cmdline`, 'utf8')
      if (!command.includes('anvil')) continue
      seen.set(found, { isFork: command.includes('--fork-url'), cpuMs: readCpuMs(found) })
    }
  }
  const sum = (isFork: boolean) =>
    [...seen.values()]
      .filter((each) => each.isFork === isFork)
      .reduce((all, { cpuMs }) => all + cpuMs, 0)

  return async (): Promise<Usage> => {
    readAnvils()
    const text = await (await fetch(`${opsUrl}/metrics`)).text()
    const upstreamCalls = text
      .split('\n')
      .filter((line) => line.startsWith('forkyard_upstream_calls_total') && line.includes('"sent"'))
      .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0)
    const [gatewayMs, forksMs, nodesMs] = [readCpuMs(pid), sum(true), sum(false)]
    // After the processor's time, which telling of many collections takes some of.
    return { gatewayMs, forksMs, nodesMs, upstreamCalls, allocatedBytes: await readAllocated() }
  }
}

function combine(by: (name: keyof Usage) => number): Usage {
  return {
    gatewayMs: by('gatewayMs'),
    forksMs: by('forksMs'),
    nodesMs: by('nodesMs'),
    upstreamCalls: by('upstreamCalls'),
    allocatedBytes: by('allocatedBytes'),
  }
}

/** What came between, for each of `count`. */
export const spentOn = (before: Usage, after: Usage, count: number): Usage =>
  combine((name) => (after[name] - before[name]) / count)

/** `usage`, less `times` what something that came with it takes. */
export const without = (usage: Usage, part: Usage, times: number): Usage =>
  combine((name) => usage[name] - part[name] * times)
