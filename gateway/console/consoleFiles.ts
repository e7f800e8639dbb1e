import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { isCheckout } from '../runtime/modulePath.ts'

/** Where `make console`, and `make package` for those who install, put the built page. */
export const consoleDir = join(import.meta.dirname, 'dist')

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export type ConsoleFile = { readonly body: Buffer | string; readonly type: string }

/** The page's files by their paths, read when they are first asked for. Names in `assets` change with their content. */
export function createConsoleFiles(dir = consoleDir) {
  let files: ReadonlyMap<string, ConsoleFile> | undefined
  return {
    read(path: string): ConsoleFile | undefined {
      files ??= readFiles(dir)
      const file = files?.get(path)
      return file ?? (path === '/' ? unbuilt : undefined)
    },
  }
}

/** Undefined where nothing was built: it may be by the next request. */
function readFiles(dir: string): ReadonlyMap<string, ConsoleFile> | undefined {
  try {
    const assets = readdirSync(join(dir, 'assets')).map((name) => `/assets/${name}`)
    const paths = [['/', '/index.html'] as const, ...assets.map((path) => [path, path] as const)]
    return new Map(
      paths.map(([path, file]) => {
        const type = types[extname(file)] ?? 'application/octet-stream'
        return [path, { body: readFileSync(join(dir, file)), type }]
      }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const sentence = isCheckout
  ? 'The console is not built: run <code>make console</code> and load this page again.'
  : 'This package holds no console.'

const unbuilt: ConsoleFile = {
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Forkyard console</title><h1>Forkyard</h1><p>${sentence}</p><p><a href="/docs">What this listener answers</a></p></html>`,
  type: 'text/html; charset=utf-8',
}
