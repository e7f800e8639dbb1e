import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A script in place of anvil, which writes its arguments beside itself first. */
export function fakeAnvil(dir: string, name: string, script: string): string {
  const binary = join(dir, name)
  writeFileSync(binary, `#!/bin/sh\necho "$@" > ${binary}.args\n${script}\n`)
  chmodSync(binary, 0o755)
  return binary
}

/** Answers as an anvil that is told to print nothing more, and says where it listens in two pieces. */
export const answeringAnvil = `exec ${process.execPath} -e '
const { createServer } = require("node:http")
const host = process.argv[process.argv.indexOf("--host") + 1]
const server = createServer(async (request, response) => {
  let body = ""
  for await (const chunk of request) body += chunk
  if (!body.includes("\\"params\\":[false]")) response.statusCode = 500
  response.end(JSON.stringify([{ id: 0, result: null }]))
}).listen(0, host, () => {
  process.stdout.write("Listening on " + host + ":")
  setTimeout(() => process.stdout.write(server.address().port + "\\n"), 20)
})' -- "$@"`
