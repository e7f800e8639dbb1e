// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IPair} from "../interfaces/IPools.sol";
import {ISwapExecutor} from "../interfaces/ISwapExecutor.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title Swaps through pools that are paid first and asked afterwards
library PairSwaps {
    using SafeTransferLib for address;

    uint256 private constant PIPS = 1_000_000;

    /// @dev Rounds down like the pair: a fee in pips gives the same quotient as the forks' own units.
    function swapUniswapV2(ISwapExecutor.Step calldata step, uint256 amount) internal {
        uint256 keptPips = PIPS - abi.decode(step.data, (uint256));
        step.tokenIn.safeTransfer(step.pool, amount);
        (uint256 reserve0, uint256 reserve1) = IPair(step.pool).getReserves();
        bool zeroForOne = step.tokenIn < step.tokenOut;
        (uint256 reserveIn, uint256 reserveOut) =
            zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 kept = (step.tokenIn.balanceOf(step.pool) - reserveIn) * keptPips;
        _takeOut(step.pool, zeroForOne, kept * reserveOut / (reserveIn * PIPS + kept));
    }

    function _takeOut(address pair, bool zeroForOne, uint256 amountOut) private {
        (uint256 amount0Out, uint256 amount1Out) =
            zeroForOne ? (uint256(0), amountOut) : (amountOut, uint256(0));
        IPair(pair).swap(amount0Out, amount1Out, address(this), "");
    }
}
