import { toReason } from '../observe/toReason.ts'

/** Tells beside a command's own output of what went wrong, without the URLs that a cause may name. */
export function tell(
  what: string,
  cause: unknown,
  write: (text: string) => void = (text) => void process.stderr.write(text),
): void {
  write(`forkyard: ${what}: ${toReason(cause)}\n`)
}
