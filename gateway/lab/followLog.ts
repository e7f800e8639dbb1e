import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

/** Reads what has come to a file since the last time; nothing where there is none. */
export function followLog(path: string): () => string {
  const decoder = new StringDecoder('utf8')
  let read = 0
  return () => {
    if (!existsSync(path)) return ''
    const file = openSync(path, 'r')
    try {
      const news = Buffer.alloc(Math.max(0, fstatSync(file).size - read))
      const count = readSync(file, news, { position: read })
      read += count
      return decoder.write(news.subarray(0, count))
    } finally {
      closeSync(file)
    }
  }
}
