import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A file system of its own, so small that it can be filled, in the place of a stack's volume; needs root. */
export type SmallVolume = {
  /** A compose file that puts it there. */
  readonly override: string
  /** Until the kernel gives no more room. */
  fill(): void
  empty(): void
  remove(): Promise<void>
}

const blockBytes = 4096

/** `uid` owns it. It outlives its containers, as a disk does. */
export async function makeSmallVolume({
  name,
  megabytes,
  uid,
}: {
  readonly name: string
  readonly megabytes: number
  readonly uid: number
}): Promise<SmallVolume> {
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-volume-'))
  const options = `size=${megabytes}m,uid=${uid},gid=${uid},mode=700`
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir])
  const override = `${dir}.yaml`
  const bound = { driver_opts: { type: 'none', o: 'bind', device: dir } }
  writeFileSync(override, JSON.stringify({ volumes: { [name]: bound } }))
  const filler = join(dir, 'filler')
  return {
    override,
    fill() {
      // Once more and more until nothing goes: what is written meanwhile takes room too.
      for (let part = 0; statfsSync(dir).bavail > 0; part += 1) {
        const bytes = Math.max(blockBytes, statfsSync(dir).bavail * blockBytes)
        try {
          writeFileSync(`${filler}.${part}`, Buffer.alloc(bytes))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    },
    empty() {
      for (let part = 0; part < 100; part += 1) rmSync(`${filler}.${part}`, { force: true })
    },
    async remove() {
      await run('umount', [dir])
      rmSync(dir, { recursive: true })
      rmSync(override)
    },
  }
}
