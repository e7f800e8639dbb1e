// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Families of pools a step can swap through
/// @notice Each constant says what `Step.pool` and `Step.data` are for it.
library StepKinds {
    /// @notice Uniswap v2 and its forks. pool: the pair. data: abi.encode(uint256 feePips), 3000 = 0.3 %.
    uint8 internal constant UNISWAP_V2 = 0;

    /// @notice Uniswap v3 and all that share its `swap`: PancakeSwap v3, Slipstream,
    /// Ramses v2, Algebra (Camelot v3).
    /// pool: the pool. data: empty.
    uint8 internal constant UNISWAP_V3 = 1;

    /// @notice Solidly and its forks, volatile and stable: Aerodrome v2, Camelot v2. pool: the pair, which
    /// is asked for its own price. data: empty.
    uint8 internal constant SOLIDLY = 2;

    /// @notice Uniswap v4. pool: the PoolManager. data: abi.encode(PoolKey, bytes hookData); a zero
    /// currency stands for the wrapped native token of the step.
    uint8 internal constant UNISWAP_V4 = 3;

    /// @notice Balancer v2, any pool. pool: the Vault. data: abi.encode(bytes32 poolId).
    uint8 internal constant BALANCER_V2 = 4;

    /// @notice Balancer v3, any pool. pool: the Vault. data: abi.encode(address pool).
    uint8 internal constant BALANCER_V3 = 5;

    /// @notice Curve pools with int128 indices (StableSwap). pool: the pool.
    /// data: abi.encode(uint256 i, uint256 j, bool native); native: the wrapped native token of the step
    /// stands for the pool's native coin.
    uint8 internal constant CURVE_STABLE = 6;

    /// @notice Curve pools with uint256 indices (CryptoSwap). pool: the pool.
    /// data: abi.encode(uint256 i, uint256 j).
    uint8 internal constant CURVE_CRYPTO = 7;

    /// @notice Liquidity Book 2.x. pool: the pair. data: abi.encode(bool swapForY).
    uint8 internal constant LIQUIDITY_BOOK = 8;

    /// @notice Maverick v2. pool: the pool. data: abi.encode(bool tokenAIn).
    uint8 internal constant MAVERICK_V2 = 9;

    /// @notice DODO v2. pool: the pool. data: abi.encode(bool sellsBase).
    uint8 internal constant DODO_V2 = 10;

    /// @notice WOOFi. pool: WooPP. data: empty.
    uint8 internal constant WOOFI = 11;

    /// @notice Fluid DEX. pool: the pool. data: abi.encode(bool swap0to1, bool native); native: the wrapped
    /// native token of the step stands for the pool's native currency.
    uint8 internal constant FLUID = 12;

    /// @notice Sushi Trident. pool: the pool. data: abi.encode(address bentoBox), who holds its tokens.
    uint8 internal constant TRIDENT = 13;

    /// @notice A vault of ERC-4626. pool: the vault, whose own token its shares are: sold, they are
    /// redeemed, else the step deposits. data: empty.
    uint8 internal constant ERC4626 = 14;

    /// @notice Aave v3. pool: its Pool. data: abi.encode(bool supplies); else the step withdraws.
    uint8 internal constant AAVE_V3 = 15;

    /// @notice Spark's PSM3. pool: the PSM3. data: empty.
    uint8 internal constant PSM3 = 16;
}
