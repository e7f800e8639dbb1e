import type { Address } from 'viem'

/**
 * Vaults of ERC-4626 that somebody has reviewed as safe to be swapped through: any other is a stranger's
 * contract, and is not asked. Of github:balancer/code-review erc4626/registry.json (2026-07-22); Balancer's
 * vault holds shares of each. Aave's own wrappers also stand in github:bgd-labs/aave-address-book
 * src/AaveV3Base.sol and src/AaveV3Arbitrum.sol.
 */
export const erc4626Vaults = {
  base: [
    '0x616a4E1db48e22028f6bbf20444Cd3b8e3273738', // MetaMorpho v1.1 Seamless USDC
    '0x7BfA7C4f149E7415b73bdeDfe609237e29CBF34A', // MetaMorpho v1.1 Spark USDC
    '0x23479229e52Ab6aaD312D0B03DF9F33B46753B5e', // MetaMorpho v1.1 Ionic USDC
    '0x5A32099837D89E3a794a44fb131CBbAD41f87a8C', // MetaMorpho v1.1 Ionic WETH
    '0xe298b938631f750DD409fB18227C4a23dCdaab9b', // Wrapped Aave Base WETH
    '0x6acD0a165fD70A84b6b50d955ff3628700bAAf4b', // Wrapped Aave Base weETH
    '0xC768c589647798a6EE01A91FdE98EF2ed046DBD6', // Wrapped Aave Base USDC
    '0xFA2A03b6f4A65fB1Af64f7d935fDBf78693df9aF', // Wrapped Aave Base cbBTC
    '0x0830820D1A9aa1554364752d6D8F55C836871B74', // Wrapped Aave Base wstETH
    '0x5e8B674127B321DC344c078e58BBACc3f3008962', // Wrapped Aave Base cbETH
    '0x74D4D1D440c9679b1013999Bd91507eAa2fff651', // Wrapped Aave Base USDbC
    '0xF8F10f39116716e89498c1c5E94137ADa11b2BC7', // Wrapped Aave Base ezETH
    '0x88b1Cd4b430D95b406E382C3cDBaE54697a0286E', // Wrapped Aave Base GHO
    '0x729F75Aff28c726e32403e80cef2aFb518CFbfa7', // Wrapped Aave Base EURC
    '0x9272D6153133175175Bc276512B2336BE3931CE9', // fluid weth
    '0x589A7339C6d0c8777E7429F57f2f95c069c37288', // WrappedExtraFiX Base USDC
    '0x98eFe85735F253a0ed0Be8e2915ff39f9e4AfF0F', // WrappedExtraX Base USR
  ],
  arbitrum: [
    '0x4cE13a79f45C1Be00BdABD38B764aC28C082704E', // Wrapped Aave Arbitrum WETH
    '0xD9E3Ef2c12de90E3b03F7b7E3964956a71920d40', // Wrapped Aave Arbitrum weETH
    '0x52Dc1FEeFA4f9a99221F93D79da46Ae89b8c0967', // Wrapped Aave Arbitrum WBTC
    '0x7F6501d3B98eE91f9b9535E4b0ac710Fb0f9e0bc', // Wrapped Aave Arbitrum USDCn
    '0xe98fc055c99DECD8Da0c111B090885d5d15C774E', // Wrapped Aave Arbitrum wstETH
    '0xa6D12574eFB239FC1D2099732bd8b5dC6306897F', // Wrapped Aave Arbitrum USDT
    '0xEAB84053B99f2ec4433F5121A1CB1524c8c998F8', // Wrapped Aave Arbitrum LINK
    '0xf09EDbF2655B2A56753bD60D22CeAB2AC5D04188', // Wrapped Aave Arbitrum ARB
    '0xbB8A61425DFE172AA3a6f882aAFaBA00B32b7d59', // Wrapped Aave Arbitrum rETH
    '0xf253BD61aEd0E9D62523eA76CD6F38B4a51dA145', // Wrapped Aave Arbitrum DAI
    '0xE6D5923281c89DC989D00817387292387552d5C1', // Wrapped Aave Arbitrum USDC
    '0xD089B4cb88Dacf4e27be869A00e9f7e2E3C18193', // Wrapped Aave Arbitrum GHO
    '0x4ff50C17df0D1b788d021ACd85039810a1aA68A1', // Wrapped Aave Arbitrum ezETH
    '0x45Df0656F8aDf017590009d2f1898eeca4F0a205', // fluid weth
    '0xe4783824593a50Bfe9dc873204CEc171ebC62dE0', // EulerEarnUSDC
    '0x2BA39e5388aC6C702Cb29AEA78d52aa66832f1ee', // VarlamoreUSDCGrowth
    '0x252b965400862d94BDa35FeCF7Ee0f204a53Cc36', // YearnUSND
  ],
} as const satisfies Readonly<Record<string, readonly Address[]>>
