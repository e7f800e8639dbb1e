import { maskUrls } from '../observe/maskUrls.ts'

/** Tells beside a command's own output of what went wrong, without the URLs that a cause may name. */
export function tell(
  what: string,
  cause: unknown,
  write: (text: string) => void = (text) => void process.stderr.write(text),
): void {
  const why = cause instanceof Error ? cause.message : String(cause)
  write(`forkyard: ${what}: ${maskUrls(why)}\n`)
}
