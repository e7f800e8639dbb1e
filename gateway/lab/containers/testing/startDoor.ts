import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram, passOver } from '../../../../fixtures/debianPrograms.ts'
import { freePort } from '../../../../fixtures/freePort.ts'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'

const folder = join(import.meta.dirname, '../../../../docker/proxy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** The proxy's own configuration in an nginx of this machine. */
export type Door = {
  /** Where it keeps its logs. */
  readonly dir: string
  readonly host: string
  readonly plain: number
  readonly tls: number
  /** Of nginx's first process. */
  readonly pid: number
  /** A certificate for this name in place of its own, as an operator renews it. */
  renew(name: string): Promise<void>
  close(): Promise<void>
}

const isOpen = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port })
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** For `change`: several gateways by address, whom the engine's name server knows by one name in the image. */
export function toUpstream(ports: readonly number[]) {
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' ')
  return (config: string) =>
    config
      .replaceAll(/gateway:80\d\d/g, 'gateways')
      .replace(/^http \{$/m, `http {\n  upstream gateways { ${servers} }`)
}

/** Undefined, and said aloud, where a program that it needs is not installed. */
export async function startDoor({
  gatewayPort,
  host = '127.0.0.1',
  files = {},
  change = (config) => config,
}: {
  /** Of a gateway on loopback, which stands for all three services. */
  readonly gatewayPort: number
  readonly host?: string
  /** In place of the image's own, by their names. */
  readonly files?: Readonly<Record<string, string>>
  readonly change?: (config: string) => string
}): Promise<Door | undefined> {
  const nginx = findDebianProgram('nginx')
  const openssl = findDebianProgram('openssl')
  if (!nginx || !openssl) {
    const missing = nginx ? 'openssl' : 'nginx'
    passOver({ name: missing, debianPackage: missing })
    return undefined
  }
  const module = /^load_module (.*);$/m.exec(read('nginx.conf'))?.[1] ?? ''
  if (!existsSync(module)) {
    passOver({ name: module, debianPackage: 'libnginx-mod-stream' })
    return undefined
  }
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-door-'))
  chmodSync(dir, 0o755)
  const certify = async (name: string) => {
    const pair = ['-keyout', join(dir, 'tls_key'), '-out', join(dir, 'tls_certificate')]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    await promisify(execFile)(openssl, ['req', '-x509', ...curve, ...pair, '-subj', `/CN=${name}`])
  }
  await certify('lab')
  const [plain, tls] = [await freePort(), await freePort()]
  const at = host.includes(':') ? `[${host}]` : host
  const place = (text: string) =>
    text
      .replaceAll('/tmp/', `${dir}/`)
      .replaceAll('/run/secrets/', `${dir}/`)
      .replaceAll('/etc/nginx/', `${dir}/`)
      .replace('/dev/stderr', `${dir}/error.log`)
      .replace('/dev/stdout', `${dir}/access.log`)
      .replaceAll('listen 8080', `listen ${at}:${plain}`)
      .replaceAll('listen 8443', `listen ${at}:${tls}`)
      .replaceAll(/gateway:80\d\d/g, `127.0.0.1:${gatewayPort}`)
  const own = Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]))
  for (const [name, text] of Object.entries({ ...own, ...files }))
    writeFileSync(join(dir, name), place(change(text)))
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-g', 'daemon off;']
  const child = spawn(nginx, args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await waitFor('nginx is up', () => isOpen(host, tls), { deadlineMs: 60_000, everyMs: 20 })
  return {
    dir,
    host,
    plain,
    tls,
    pid: child.pid ?? 0,
    async renew(name) {
      await certify(name)
      child.kill('SIGHUP')
    },
    async close() {
      child.kill('SIGTERM')
      await exited
      rmSync(dir, { recursive: true })
    },
  }
}
