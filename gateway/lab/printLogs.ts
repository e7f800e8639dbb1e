import type { LabFiles } from './labFiles.ts'
import { readLastLines } from './readLastLines.ts'

/** The last lines of each log of a lab; a lab in the foreground has written its own to the terminal. */
export async function printLogs(
  { supervisorLog, gatewayLog }: LabFiles,
  { lines, print }: { readonly lines: number; readonly print: (text: string) => void },
): Promise<void> {
  const read = await Promise.all(
    [supervisorLog, gatewayLog].map(async (path) => {
      const last = await readLastLines(path, { lines })
      return last ? [`==> ${path} <==\n${last.join('\n')}\n`] : []
    }),
  )
  const found = read.flat()
  if (found.length === 0) throw new Error('no lab is running here')
  for (const text of found) print(text)
}
