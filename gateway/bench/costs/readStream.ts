/** Bytes of so many cycles of a stream that refreshes each second. */
export async function readStream(
  url: string,
  { body, ip, cycles }: { readonly body: object; readonly ip: string; readonly cycles: number },
): Promise<number> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify({ ...body, refreshIntervalMs: 1_000 }),
    signal: leaving.signal,
  })
  if (!response.ok || !response.body) throw new Error(`stream: ${response.status}`)
  let [bytes, begun] = [0, 0]
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    begun += Buffer.from(chunk).toString().split('event: initial').length - 1
    if (begun > cycles) break
  }
  leaving.abort()
  return bytes
}
