import { type CallOptions, type Connection, createCall } from './call.ts'
import { createOps } from './ops.ts'
import type * as Ops from './wire/ops.ts'

const headers = { 'content-type': 'application/json' }
const timeoutMs = 30_000
/** Where a lab's operators' listener stands unless OPS_PORT says otherwise. */
const usualUrl = 'http://127.0.0.1:8090'

/** Everything a client needs to use a running lab: `createClient(await readManifest())`. */
export function readManifest(
  url: string = usualUrl,
  options?: CallOptions,
): Promise<Ops.LabManifest> {
  const call = createCall<Ops.Operations>({ url, headers, timeoutMs })
  return call('GET /lab/manifest', {}, options)
}

export type Lab = ReturnType<typeof createLab>

/** What a test does to a lab's chains. */
export function createLab({
  services,
  adminToken,
  fetch,
}: {
  readonly services: { readonly ops: string }
  readonly adminToken: string
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch | undefined
}) {
  const authorization = `Bearer ${adminToken}`
  const connection: Connection = {
    url: services.ops,
    headers: { ...headers, authorization },
    fetch,
    timeoutMs,
  }
  const call = createCall<Ops.Operations>(connection)
  const { live, ready, started, metrics } = createOps({ url: services.ops, fetch })
  return {
    manifest: (options?: CallOptions) => call('GET /lab/manifest', {}, options),
    deal: (body: Ops.DealRequest, options?: CallOptions) =>
      call('POST /lab/deal', { body }, options),
    mine: (body: Ops.MineRequest, options?: CallOptions) =>
      call('POST /lab/mine', { body }, options),
    warp: (body: Ops.WarpRequest, options?: CallOptions) =>
      call('POST /lab/warp', { body }, options),
    snapshot: (body: Ops.SnapshotRequest, options?: CallOptions) =>
      call('POST /lab/snapshot', { body }, options),
    revert: (body: Ops.RevertRequest, options?: CallOptions) =>
      call('POST /lab/revert', { body }, options),
    impersonate: (body: Ops.ImpersonateRequest, options?: CallOptions) =>
      call('POST /lab/impersonate', { body }, options),
    /** Has the next requests go wrong: `{ name: 'rate_limited', times: 2, path: '/quote' }`. */
    fail: (body: Ops.FaultRequest, options?: CallOptions) =>
      call('POST /lab/faults', { body }, options),
    faults: (options?: CallOptions) => call('GET /lab/faults', {}, options),
    /** Forgets all that wait. */
    clearFaults: (options?: CallOptions) => call('POST /lab/faults/clear', { query: {} }, options),
    /** Forgets those of one name. */
    clearFault: (name: Ops.FaultRequest['name'], options?: CallOptions) =>
      call('POST /lab/faults/clear', { query: { name } }, options),
    /** What the supervisor and the gateway have written last. */
    logs: (query: Ops.LabLogsQuery = {}, options?: CallOptions) =>
      call('GET /lab/logs', { query }, options),
    /** The pack of this lab, and those in the folder that it was started in. */
    packs: (options?: CallOptions) => call('GET /lab/packs', {}, options),
    /** The script of a page's wallet, and what it asks. */
    walletScript: (options?: CallOptions) => call('GET /lab/wallet.js', {}, options),
    askWallet: (body: Ops.WalletQuestion, options?: CallOptions) =>
      call('POST /lab/wallet', { body }, options),
    live,
    ready,
    started,
    metrics,
  }
}
