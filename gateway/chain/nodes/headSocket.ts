import WebSocket from 'ws'
import { isRecord } from './readReply.ts'

/** As a node tells of it: a hint to look, which is checked by what is read then. */
export type ToldHead = { readonly number: number; readonly hash: string }

export type HeadSocket = {
  /** The last one, and the highest number; undefined since it was opened until it tells of one. */
  told(): (ToldHead & { readonly highest: number }) | undefined
  /** Calls at every head that is told of, until what it returns is called. */
  listen(heard: () => void): () => void
  /** Opens it anew: there is a head that it did not tell of. */
  doubt(): void
  close(): void
}

/** A header is a kilobyte or two. */
const longestMessage = 64 * 1024
const openWithinMs = 10_000
const [firstPauseMs, longestPauseMs] = [1_000, 60_000]
/** Whoever stays so long is opened again at once. */
const steadyMs = 60_000
/** Chains make a few blocks a second. Each push is read, and counted as paid for. */
const mostPerSecond = 100

const question = { jsonrpc: '2.0', id: 2, method: 'eth_chainId', params: [] }
const subscription = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }

/** Heads as a node pushes them. It is opened again whenever it ends; what fails is polled for meanwhile. */
export function openHeadSocket({
  url,
  chainId,
  count = () => undefined,
  now = () => performance.now(),
}: {
  /** A secret: it may hold a key. */
  readonly url: string
  /** Heads are heard once it has said that it serves this chain. */
  readonly chainId: number
  /** What the provider counts: what it is asked, and each push. */
  readonly count?: ((method: string) => void) | undefined
  readonly now?: (() => number) | undefined
}): HeadSocket {
  const listeners = new Set<() => void>()
  let told: (ToldHead & { readonly highest: number }) | undefined
  let socket: WebSocket | undefined
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let closed = false

  function open(): void {
    const own = new WebSocket(url, {
      maxPayload: longestMessage,
      handshakeTimeout: openWithinMs,
      perMessageDeflate: false,
    })
    const openedAtMs = now()
    const isFlooded = createFloodgate({ now })
    let isOfChain = false
    socket = own
    own.on('open', () => {
      for (const call of [question, subscription]) {
        count(call.method)
        own.send(JSON.stringify(call))
      }
    })
    own.on('message', (data) => {
      // What has come already is still handed over when the socket is cut.
      if (isFlooded()) return own.terminate()
      const message = parse(String(data))
      isOfChain ||=
        isRecord(message) && message['id'] === question.id && Number(message['result']) === chainId
      const head = readToldHead(message)
      if (head && isOfChain) hear(head)
    })
    // Its words may hold the URL; it is closed next.
    own.on('error', () => undefined)
    own.once('close', () => {
      told = undefined
      if (closed) return
      if (now() - openedAtMs > steadyMs) pauseMs = firstPauseMs
      timer = setTimeout(open, pauseMs)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    })
  }

  function hear(head: ToldHead): void {
    count('eth_subscription')
    told = { ...head, highest: Math.max(head.number, told?.highest ?? 0) }
    for (const heard of [...listeners]) heard()
  }

  open()
  return {
    told: () => told,
    listen(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    doubt: () => socket?.terminate(),
    close() {
      closed = true
      clearTimeout(timer)
      socket?.terminate()
    },
  }
}

/** Whether more was said within a second than any chain has to say; once so, always so. */
function createFloodgate({ now }: { readonly now: () => number }) {
  let sinceMs = now()
  let said = 0
  return () => {
    if (said > mostPerSecond) return true
    if (now() - sinceMs > 1_000) {
      sinceMs = now()
      said = 0
    }
    said += 1
    return said > mostPerSecond
  }
}

/** Undefined for answers, and for whatever else comes over a socket. */
export function readToldHead(message: unknown): ToldHead | undefined {
  const params = isRecord(message) ? message['params'] : undefined
  const head = isRecord(params) ? params['result'] : undefined
  if (!isRecord(head)) return undefined
  const { number, hash } = head
  const height = typeof number === 'string' ? Number(number) : Number.NaN
  return Number.isSafeInteger(height) && typeof hash === 'string'
    ? { number: height, hash }
    : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
