import { open } from 'node:fs/promises'

/** A lab that runs for weeks writes more than anybody holds in memory. */
const mostBytes = 4 * 2 ** 20

/** The last lines of a file, and of those the last bytes; undefined where there is no such file. */
export async function readLastLines(
  path: string,
  { lines }: { readonly lines: number },
): Promise<readonly string[] | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - mostBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), { position: start })
    const found = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n')
    return (start > 0 ? found.slice(1) : found).slice(-lines)
  } finally {
    await file.close()
  }
}
