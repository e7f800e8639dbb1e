import type { IncomingMessage, ServerResponse } from 'node:http'

const lingerMs = 5_000

/**
 * Called before the answer to a request whose body is not wanted. What is still sent of it is read for a while, so
 * that its sender gets to read the answer: a connection closed over unread bytes is reset, and the answer lost.
 */
export function linger(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || request.destroyed || response.headersSent) return
  // Who asked for the connection's end can end it himself once he has read.
  response.setHeader('connection', 'keep-alive')
  const timer = setTimeout(() => request.destroy(), lingerMs).unref()
  request.once('close', () => clearTimeout(timer)).resume()
}
