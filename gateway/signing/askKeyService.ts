import { bytesToHex } from 'viem'
import { createRest } from './rest.ts'

/** After an answer that did not come: whoever wants a signature meanwhile is refused at once. */
const restMs = 5_000
const derText = /^0x30(?:[0-9a-f]{2}){7,71}$/i

/**
 * Has digests signed by the service at `keyUrl`: `POST {"digest": "0x…"}` is answered with
 * `{"signature": "0x…"}` in DER, as key management services sign. The URL may hold a secret and is in no error.
 */
export function createKeyServiceCall({
  keyUrl,
  timeoutMs,
  now = () => performance.now(),
}: {
  readonly keyUrl: string
  readonly timeoutMs: number
  readonly now?: (() => number) | undefined
}): (digest: Uint8Array) => Promise<Uint8Array> {
  const rested = createRest({ restMs, now })
  return async (digest) => {
    const response = await rested(() => post({ keyUrl, timeoutMs, digest }))
    if (!response.ok) throw new Error('the key service refuses to sign')
    const { signature } = (response.body ?? {}) as { readonly signature?: unknown }
    if (typeof signature !== 'string' || !derText.test(signature))
      throw new Error('the key service answers something that is no signature')
    return Buffer.from(signature.slice(2), 'hex')
  }
}

/** Bounded as a whole, its body too. */
async function post({
  keyUrl,
  timeoutMs,
  digest,
}: {
  readonly keyUrl: string
  readonly timeoutMs: number
  readonly digest: Uint8Array
}): Promise<{ readonly ok: boolean; readonly body?: unknown }> {
  try {
    const response = await fetch(keyUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ digest: bytesToHex(digest) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return { ok: true, body: await readJson(response) }
    await response.body?.cancel()
    return { ok: false }
  } catch {
    // Its text may quote the URL.
    throw new Error('the key service does not answer')
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
