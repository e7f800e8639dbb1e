/** `forkyard/wallet`: a wallet for pages under test, over accounts whose keys are public. */
export { announceWallet, type WalletInfo } from './announceWallet.ts'
export { ProviderError } from './providerError.ts'
export {
  createTestWallet,
  type Provider,
  type Switches,
  type TestWallet,
  type TestWalletOptions,
} from './testWallet.ts'
