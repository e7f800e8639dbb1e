import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import type { LiveStack } from './liveStack.ts'

type Asked = {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

type Refusal = Readonly<Record<string, unknown>>

/** A connection to a stack's proxy in HTTP/2, as a browser makes it: with the name of one service. */
export async function openProxy(
  { ports, secrets }: Pick<LiveStack, 'ports' | 'secrets'>,
  service: 'routing' | 'meta' | 'relay',
) {
  const authority = `${service}.localhost`
  const session: ClientHttp2Session = connect(`https://127.0.0.1:${ports['HTTPS_PORT']}`, {
    ca: secrets.tls_certificate,
    servername: authority,
  })
  await once(session, 'connect')

  /** A request whose body is the caller's to send, or not to. */
  function open({ path, headers = {} }: Asked, method = 'POST') {
    const stream = session.request({
      ':path': path,
      ':method': method,
      ':authority': authority,
      'content-type': 'application/json',
      ...headers,
    })
    // What is refused early may be cut off while it is still being sent.
    return stream.on('error', () => undefined)
  }
  return {
    open,
    async ask({ body, ...asked }: Asked & { readonly body?: string }) {
      const stream = open(asked, body === undefined ? 'GET' : 'POST')
      stream.end(body)
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
      let text = ''
      for await (const chunk of stream.setEncoding('utf8')) text += chunk
      const isJson = headers['content-type']?.includes('json')
      const answer: Refusal = isJson ? JSON.parse(text) : {}
      return { status: Number(headers[':status']), headers, text, answer }
    },
    close: () => session.destroy(),
  }
}
