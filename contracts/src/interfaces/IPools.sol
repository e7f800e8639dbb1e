// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A constant-product pair
interface IPair {
    /// @notice Forks return more or other types behind the two reserves; only those are read.
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1);

    /// @notice Sends out what is asked for, once the input lies in the pair.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @title A concentrated-liquidity pool
interface IConcentratedPool {
    /// @notice Swaps an exact input (positive amount) up to a price limit, asking for it by callback.
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

/// @title The wrapped native token
interface IWrappedNative {
    /// @notice Wraps the call's value.
    function deposit() external payable;

    /// @notice Unwraps to the caller.
    function withdraw(uint256 amount) external;
}
