import { parentPort, workerData } from 'node:worker_threads'
import { answerBlockingCalls } from './blockingCall.ts'

/**
 * A worker that has digests signed by the service at `keyUrl`: `POST {"digest": "0x…"}` is answered with
 * `{"signature": "0x…"}` in DER, as key management services sign. The URL may hold a secret and is in no error.
 */
const { keyUrl, timeoutMs } = workerData as { readonly keyUrl: string; readonly timeoutMs: number }
const derText = /^0x30(?:[0-9a-f]{2}){7,71}$/i

async function ask(digest: string): Promise<unknown> {
  try {
    const response = await fetch(keyUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ digest }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return await response.json()
    await response.body?.cancel()
  } catch {
    // Its text may quote the URL.
    throw new Error('the key service does not answer')
  }
  throw new Error('the key service refuses to sign')
}

if (!parentPort) throw new Error('runs as a worker')
answerBlockingCalls(parentPort, async (digest) => {
  const answer = await ask(`0x${Buffer.from(digest).toString('hex')}`)
  const { signature } = (answer ?? {}) as { readonly signature?: unknown }
  if (typeof signature !== 'string' || !derText.test(signature))
    throw new Error('the key service answers something that is no signature')
  return Buffer.from(signature.slice(2), 'hex')
})
