// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IConcentratedPool, IMaverickPool} from "../interfaces/IPools.sol";
import {ISwapExecutor} from "../interfaces/ISwapExecutor.sol";
import {CallbackGate} from "./CallbackGate.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title Swaps through Uniswap v3, the pools that share its `swap`, and Maverick v2
abstract contract ConcentratedSwaps is CallbackGate {
    using SafeTransferLib for address;

    uint160 private constant MIN_SQRT_PRICE_X96 = 4_295_128_739;
    uint160 private constant MAX_SQRT_PRICE_X96 =
        1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342;

    /// @notice Payment request of Uniswap v3, Sushi v3 and Slipstream pools.
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata)
        external
    {
        _payPool(amount0Delta, amount1Delta);
    }

    /// @notice Payment request of PancakeSwap v3 pools.
    function pancakeV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata)
        external
    {
        _payPool(amount0Delta, amount1Delta);
    }

    /// @notice Payment request of Algebra pools.
    function algebraSwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata)
        external
    {
        _payPool(amount0Delta, amount1Delta);
    }

    /// @notice Payment request of Ramses v2 pools.
    function ramsesV2SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata)
        external
    {
        _payPool(amount0Delta, amount1Delta);
    }

    /// @notice Payment request of Maverick v2 pools.
    function maverickV2SwapCallback(address, uint256 amountIn, uint256, bytes calldata) external {
        _payPool(amountIn);
    }

    /// @dev The price limit is the extreme one: a pool that runs dry takes what it can, the rest stays
    /// with the executor and goes back to the recipient.
    function _swapConcentrated(ISwapExecutor.Step calldata step, uint256 amount) internal {
        bool zeroForOne = step.tokenIn < step.tokenOut;
        _openGate(step.pool, step.tokenIn, amount);
        IConcentratedPool(step.pool)
            .swap(
                address(this),
                zeroForOne,
                _toInt256(amount),
                zeroForOne ? MIN_SQRT_PRICE_X96 + 1 : MAX_SQRT_PRICE_X96 - 1,
                ""
            );
        _closeGate();
    }

    /// @dev Any data makes the pool ask by callback, for no more than it could use.
    function _swapMaverick(ISwapExecutor.Step calldata step, uint256 amount) internal {
        bool tokenAIn = abi.decode(step.data, (bool));
        _openGate(step.pool, step.tokenIn, amount);
        IMaverickPool(step.pool)
            .swap(
                address(this),
                IMaverickPool.SwapParams({
                amount: amount,
                tokenAIn: tokenAIn,
                exactOutput: false,
                tickLimit: tokenAIn ? type(int32).max : type(int32).min
            }),
                hex"01"
            );
        _closeGate();
    }

    function _payPool(int256 amount0Delta, int256 amount1Delta) private {
        // A negative delta becomes a huge amount and is refused.
        // forge-lint: disable-next-line(unsafe-typecast)
        _payPool(uint256(amount0Delta > 0 ? amount0Delta : amount1Delta));
    }

    function _payPool(uint256 amount) private {
        (address token, uint256 allowed) = _passGate();
        if (amount > allowed) revert ISwapExecutor.ExcessiveInput(amount, allowed);
        token.safeTransfer(msg.sender, amount);
    }
}
