import { statfs } from 'node:fs/promises'

export type Disk = { readonly disk: number; readonly free: number }

/** Bytes of the disk that a folder is on, and what of them its user may still take. */
export async function readDisk(folder: string): Promise<Disk> {
  const { bsize, blocks, bavail } = await statfs(folder)
  return { disk: blocks * bsize, free: bavail * bsize }
}
