// Copies a program and the libraries it is linked against into a folder that becomes an image's root.
// collect.mjs <root> anvil | node | <addon.node>
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'

const [root = '/image', what = 'anvil'] = process.argv.slice(2)

function findAnvil() {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const launcher = createRequire(join(process.cwd(), 'package.json')).resolve(
    '@foundry-rs/anvil/package.json',
  )
  return createRequire(launcher).resolve(`@foundry-rs/anvil-linux-${cpu}/bin/anvil`)
}

function collectLibraries(file) {
  const libraries = execFileSync('ldd', [file], { encoding: 'utf8' }).match(/\/lib\S+/g) ?? []
  for (const library of libraries) {
    mkdirSync(dirname(join(root, library)), { recursive: true })
    copyFileSync(library, join(root, library))
  }
}

if (what === 'anvil') {
  collectLibraries(findAnvil())
  copyFileSync(findAnvil(), join(root, 'anvil'))
} else if (what === 'node') {
  collectLibraries(process.execPath)
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'))
} else collectLibraries(what)

// anvil refuses to start without certificates, even for upstreams that need none.
mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true })
writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), `${rootCertificates.join('\n')}\n`)
mkdirSync(join(root, 'tmp'), { recursive: true })
chmodSync(join(root, 'tmp'), 0o1777)
