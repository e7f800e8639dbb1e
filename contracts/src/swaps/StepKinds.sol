// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Families of pools a step can swap through
/// @notice Each constant says what `Step.pool` and `Step.data` are for it.
library StepKinds {
    /// @notice Uniswap v2 and its forks. pool: the pair. data: abi.encode(uint256 feePips), 3000 = 0.3 %.
    uint8 internal constant UNISWAP_V2 = 0;

    /// @notice Uniswap v3 and all that share its `swap`: PancakeSwap v3, Slipstream, Algebra.
    /// pool: the pool. data: empty.
    uint8 internal constant UNISWAP_V3 = 1;
}
