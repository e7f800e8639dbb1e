import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address } from 'viem'
import type { RpcCall } from '../rpc/rpcBatch.ts'

export type Fault =
  | 'none'
  | 'busy'
  | 'broken'
  | 'unauthorized'
  | 'stall'
  | 'drip'
  | 'garbage'
  | 'cut'

export type FaultProxy = {
  /** Ends in what must never be shown. */
  readonly url: string
  readonly secret: string
  readonly set: (p: {
    fault?: Fault
    delayMs?: number
    target?: string
    /** Methods that it says it does not have. */
    unknownMethods?: readonly string[]
    /** Shown without code, as tokens are that the chain itself runs. */
    codeless?: readonly Address[]
  }) => void
  /** Reads of state that came so far, as method, account, slot and block; those of a batch one by one. */
  readonly stateReads: () => readonly string[]
  readonly close: () => Promise<void>
}

/** A provider with bad days: forwards to `target`, but for the fault that is set. */
export async function startFaultProxy({ target: first }: { target: string }): Promise<FaultProxy> {
  const secret = 'k3y-0f-the-provider'
  let target = first
  let fault: Fault = 'none'
  let delayMs = 0
  let unknownMethods: readonly string[] = []
  let codeless: readonly Address[] = []
  const reads: string[] = []

  async function serve(request: IncomingMessage, response: ServerResponse) {
    let body = ''
    for await (const chunk of request) body += chunk
    const parsed: unknown = JSON.parse(body)
    reads.push(...listStateReads(parsed))
    if (fault === 'busy') return response.writeHead(429, { 'retry-after': '1' }).end('slow down')
    if (fault === 'broken') return response.writeHead(500).end('<html>oops</html>')
    if (fault === 'unauthorized') return response.writeHead(401).end('{"error":"key"}')
    if (fault === 'garbage') return response.writeHead(200).end('<html>not json</html>')
    if (fault === 'cut') return response.socket?.destroy()
    if (fault === 'stall') return undefined
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    const headers = { 'content-type': 'application/json' }
    const forwarded = withoutMethods(body, unknownMethods)
    const answer = await fetch(target, { method: 'POST', body: forwarded, headers })
    const text = withoutCode(await answer.text(), { asked: parsed, codeless })
    response.writeHead(200, headers)
    if (fault === 'drip') return drip(response, text)
    return response.end(text)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v2/${secret}`,
    secret,
    set(next) {
      fault = next.fault ?? fault
      delayMs = next.delayMs ?? delayMs
      target = next.target ?? target
      unknownMethods = next.unknownMethods ?? unknownMethods
      codeless = next.codeless ?? codeless
    },
    stateReads: () => reads,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** No node has a method of the new name, so it refuses it in its own words. */
const withoutMethods = (body: string, methods: readonly string[]) =>
  methods.reduce((text, method) => text.replaceAll(`"${method}"`, `"${method}Not"`), body)

/** Of the calls of a batch. */
function withoutCode(
  text: string,
  { asked, codeless }: { readonly asked: unknown; readonly codeless: readonly Address[] },
): string {
  if (codeless.length === 0 || !Array.isArray(asked)) return text
  const hidden = new Set(codeless.map((address) => address.toLowerCase()))
  const calls = new Map(asked.map((call: RpcCall & { id: unknown }) => [call.id, call]))
  const answers = (JSON.parse(text) as { id: unknown; result?: unknown }[]).map((answer) => {
    const { method, params = [] } = calls.get(answer.id) ?? {}
    const isHidden = hidden.has(String(params[0]).toLowerCase())
    if (!isHidden) return answer
    if (method === 'eth_getCode') return { ...answer, result: '0x' }
    if (method !== 'eth_getAccountInfo') return answer
    return { ...answer, result: { ...Object(answer.result), code: '0x' } }
  })
  return JSON.stringify(answers)
}

const stateRead = /^eth_get(StorageAt|Balance|Code|TransactionCount|AccountInfo)$/

function listStateReads(body: unknown): readonly string[] {
  const calls = (Array.isArray(body) ? body : [body]) as readonly RpcCall[]
  return calls
    .filter(({ method }) => stateRead.test(method))
    .map(({ method, params }) => `${method} ${params.join(' ')}`.toLowerCase())
}

/** A byte every 50 ms. */
function drip(response: ServerResponse, text: string) {
  let at = 0
  const timer = setInterval(() => {
    response.write(text.slice(at, at + 1))
    at += 1
    if (at < text.length) return
    clearInterval(timer)
    response.end()
  }, 50)
  response.on('close', () => clearInterval(timer))
}
