// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IConcentratedPool} from "../interfaces/IPools.sol";
import {ISwapExecutor} from "../interfaces/ISwapExecutor.sol";
import {CallbackGate} from "./CallbackGate.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title Swaps through Uniswap v3 and the pools that share its `swap`
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

    function _toInt256(uint256 amount) internal pure returns (int256) {
        if (amount > uint256(type(int256).max)) {
            revert ISwapExecutor.ExcessiveInput(amount, uint256(type(int256).max));
        }
        // Checked above.
        // forge-lint: disable-next-line(unsafe-typecast)
        return int256(amount);
    }

    function _payPool(int256 amount0Delta, int256 amount1Delta) private {
        (address token, uint256 allowed) = _passGate();
        int256 delta = amount0Delta > 0 ? amount0Delta : amount1Delta;
        // A negative delta becomes a huge amount and is refused below.
        // forge-lint: disable-next-line(unsafe-typecast)
        uint256 amount = uint256(delta);
        if (amount > allowed) revert ISwapExecutor.ExcessiveInput(amount, allowed);
        token.safeTransfer(msg.sender, amount);
    }
}
