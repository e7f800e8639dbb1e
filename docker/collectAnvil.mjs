// Copies anvil and the libraries it is linked against into a folder that becomes an image's root.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'

const [root = '/image'] = process.argv.slice(2)
const cpu = process.arch === 'x64' ? 'amd64' : process.arch
const launcher = createRequire(join(process.cwd(), 'package.json')).resolve(
  '@foundry-rs/anvil/package.json',
)
const anvil = createRequire(launcher).resolve(`@foundry-rs/anvil-linux-${cpu}/bin/anvil`)

const libraries = execFileSync('ldd', [anvil], { encoding: 'utf8' }).match(/\/lib\S+/g) ?? []
for (const library of libraries) {
  mkdirSync(dirname(join(root, library)), { recursive: true })
  copyFileSync(library, join(root, library))
}
copyFileSync(anvil, join(root, 'anvil'))
// anvil refuses to start without certificates, even for upstreams that need none.
mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true })
writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), `${rootCertificates.join('\n')}\n`)
mkdirSync(join(root, 'tmp'))
