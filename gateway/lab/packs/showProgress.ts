/** What recorders have read so far. */
type Progress = { readonly reads: number; readonly bytes: number }

const everyMs = { terminal: 500, log: 10_000 }

/** `1,234 reads, 5.6 MB, 98 reads/s`, from time to time on standard error, and when it is over. */
export function showProgress(
  {
    read,
    now = () => performance.now(),
  }: { readonly read: () => Progress; readonly now?: () => number },
  { output = process.stderr }: { readonly output?: Output | undefined } = {},
): { readonly end: () => void } {
  const startedAt = now()
  const line = () => {
    const { reads, bytes } = read()
    const secs = Math.max((now() - startedAt) / 1000, 0.001)
    const rate = (reads / secs).toFixed(reads / secs < 10 ? 1 : 0)
    return `${reads.toLocaleString('en')} reads, ${(bytes / 1e6).toFixed(1)} MB, ${rate} reads/s`
  }
  const isTerminal = output.isTTY === true
  const show = () =>
    output.write(isTerminal ? `\r\x1b[Krecording: ${line()}` : `recording: ${line()}\n`)
  const timer = setInterval(show, isTerminal ? everyMs.terminal : everyMs.log)
  return {
    end() {
      clearInterval(timer)
      output.write(`${isTerminal ? '\r\x1b[K' : ''}recorded ${line()}\n`)
    },
  }
}
type Output = { readonly isTTY?: boolean | undefined; write(text: string): unknown }
