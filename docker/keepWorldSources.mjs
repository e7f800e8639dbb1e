// Copies what the world's content hash is made of out of packages that a running lab needs for nothing else.
import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'

const [target] = process.argv.slice(2)
const { worldPackages } = await import(join(process.cwd(), 'fixtures/world/parts/npmArtifacts.ts'))
const { readSources } = await import(join(process.cwd(), 'fixtures/world/parts/compile.ts'))
const imported = Object.keys(readSources()).filter(
  (path) => globSync(`node_modules/${path}`).length,
)
const packageOf = (path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0]
const packages = new Set([...worldPackages, ...imported.map(packageOf)])
// What they are is listed in the image's bill of materials.
for (const path of [...[...packages].map((name) => `${name}/package.json`), ...imported])
  cpSync(join('node_modules', path), join(target, path))
