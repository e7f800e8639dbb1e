import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(
  new URL('../../../fixtures/providers/serveRecorded.ts', import.meta.url),
)

/** The recording server in a process of its own. */
export async function startRecorded(
  delayMs: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, [script, String(delayMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: line.toString().trim(),
    close: async () => {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}
