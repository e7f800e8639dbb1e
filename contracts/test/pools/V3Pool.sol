// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestToken.sol";

/// @notice The callbacks of the four families that share one `swap`.
enum CallbackStyle {
    Uniswap,
    Pancake,
    Algebra,
    Ramses
}

interface ISwapCallbacks {
    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external;
    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external;
    function algebraSwapCallback(int256 amount0, int256 amount1, bytes calldata data) external;
    function ramsesV2SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external;
}

/// @notice A pool with Uniswap v3's `swap`: trades at a fixed price of one to one less a fee, takes at most
/// its capacity of input, pays out first and asks for the input by callback.
contract V3Pool {
    error NotPaid();

    address public immutable token0;
    address public immutable token1;
    uint256 public immutable FEE_PIPS;
    CallbackStyle public immutable STYLE;

    uint256 public capacity = type(uint256).max;

    constructor(address tokenA, address tokenB, uint256 feePips, CallbackStyle style) {
        (token0, token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        FEE_PIPS = feePips;
        STYLE = style;
    }

    function setCapacity(uint256 value) external {
        capacity = value;
    }

    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1) {
        uint256 amountIn = uint256(amountSpecified);
        if (amountIn > capacity) amountIn = capacity;
        uint256 amountOut = quote(amountIn);
        (address tokenIn, address tokenOut) = zeroForOne ? (token0, token1) : (token1, token0);
        TestToken(tokenOut).transfer(recipient, amountOut);
        uint256 before = TestToken(tokenIn).balanceOf(address(this));
        (amount0, amount1) = zeroForOne
            ? (int256(amountIn), -int256(amountOut))
            : (-int256(amountOut), int256(amountIn));
        _ask(amount0, amount1, data);
        if (TestToken(tokenIn).balanceOf(address(this)) < before + amountIn) revert NotPaid();
    }

    function quote(uint256 amountIn) public view returns (uint256) {
        return amountIn * (1e6 - FEE_PIPS) / 1e6;
    }

    function _ask(int256 amount0, int256 amount1, bytes calldata data) internal virtual {
        ISwapCallbacks payer = ISwapCallbacks(msg.sender);
        if (STYLE == CallbackStyle.Uniswap) payer.uniswapV3SwapCallback(amount0, amount1, data);
        else if (STYLE == CallbackStyle.Pancake) payer.pancakeV3SwapCallback(amount0, amount1, data);
        else if (STYLE == CallbackStyle.Algebra) payer.algebraSwapCallback(amount0, amount1, data);
        else payer.ramsesV2SwapCallback(amount0, amount1, data);
    }
}
