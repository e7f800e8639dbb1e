import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** What the API server refuses, in its own words. `statusCode` is that of HTTP. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

type Call = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly signal: AbortSignal
}

export type WatchEvent<resource> = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: resource
}

export type KubernetesApi = {
  /** @throws ApiRefusal, but for 429: that is asked again when the server says */
  readonly ask: <answer>(call: Call) => Promise<answer>
  readonly watch: <resource>(call: Call) => AsyncIterable<WatchEvent<resource>>
}

/** Kubernetes' own limit of an answer's list is far below. */
const maxRefusalBytes = 65_536

/** The API server as a pod reaches it: by what its service account's volume holds, read anew for each request. */
export function createKubernetesApi({
  host,
  port,
  account,
}: {
  readonly host: string
  readonly port: number
  /** The folder with `token` and `ca.crt`, which the kubelet renews. */
  readonly account: string
}): KubernetesApi {
  const read = (name: string) => readFile(join(account, name), 'utf8')

  async function open({ method = 'GET', path, body, signal }: Call): Promise<IncomingMessage> {
    const [token, ca] = await Promise.all([read('token'), read('ca.crt')])
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token.trim()}`,
      accept: 'application/json',
      ...(text && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    }
    return new Promise((resolve, reject) => {
      // A connection of its own: another CA counts at once, and none is found dead.
      const options = { host, port, method, path, ca, agent: false, signal, headers }
      request(options, resolve).once('error', reject).end(text)
    })
  }
  return {
    async ask<answer>(call: Call) {
      for (;;) {
        const response = await open(call)
        if (isGood(response)) return JSON.parse(await readText(response)) as answer
        const refusal = await readRefusal(response)
        const retryAfterSecs = Number(response.headers['retry-after'])
        if (refusal.statusCode !== 429 || !(retryAfterSecs >= 0)) throw refusal
        await wait(retryAfterSecs * 1_000, undefined, { signal: call.signal })
      }
    },
    async *watch<resource>(call: Call) {
      const response = await open(call)
      if (!isGood(response)) throw await readRefusal(response)
      let rest = ''
      for await (const chunk of response.setEncoding('utf8')) {
        const lines = `${rest}${chunk}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line) as WatchEvent<resource>
      }
    },
  }
}

const isGood = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300

async function readText(response: IncomingMessage, maxBytes = Number.POSITIVE_INFINITY) {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxBytes) return ''
  }
  return text
}

/** Refusals are an object of kind Status; a proxy before the server may say anything. */
async function readRefusal(response: IncomingMessage): Promise<ApiRefusal> {
  const { statusCode = 0, statusMessage = '' } = response
  const text = await readText(response, maxRefusalBytes)
  return new ApiRefusal(statusCode, readMessage(text) ?? `${statusCode} ${statusMessage}`)
}

function readMessage(text: string): string | undefined {
  try {
    const { message } = Object(JSON.parse(text))
    return typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}
