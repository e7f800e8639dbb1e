import type { LabManifest } from './manifest.ts'

type Asked = {
  readonly path: string
  /** Absent: nothing is changed. */
  readonly body?: object | undefined
}

/** What a lab's operators' listener answers; throws what it refuses. */
export async function callLab(
  { services, adminToken }: LabManifest,
  { path, body }: Asked,
): Promise<string> {
  const response = await fetch(`${services.ops}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.ok) return text
  throw new Error(`the lab refused: ${response.status} ${text}`)
}
