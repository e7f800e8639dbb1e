/** `forkyard/client`: what wallets, agents and pages call. Nothing of Node, nothing of the gateway. */
export { buyQuota, registerWallet } from './buyQuota.ts'
export type { CallOptions } from './call.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { type ErrorCode, type ErrorFacts, errorCodes, ForkyardError } from './forkyardError.ts'
export { createLab, type Lab, readManifest } from './lab.ts'
export {
  type ObtainedProxy,
  obtainProxy,
  type ProxyRequest,
  type ProxyWallet,
  type SponsorOrder,
} from './obtainProxy.ts'
export { createOps, type OpsClient } from './ops.ts'
export type { StreamEvent, StreamOptions } from './streamQuotes.ts'
export { type SwapOrder, type Swapped, swap } from './swap.ts'
export { type ProxySwapOrder, type ProxySwapped, swapThroughProxy } from './swapThroughProxy.ts'
export { waitForReceipt } from './waitForReceipt.ts'
export { SwapError, type TypedData, type Wallet, type WalletCall } from './wallet.ts'
export type * as Meta from './wire/meta.ts'
export type * as Ops from './wire/ops.ts'
export type * as Relay from './wire/relay.ts'
export type * as Routing from './wire/routing.ts'
