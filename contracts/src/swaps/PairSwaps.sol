// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    IBentoBox,
    IDodoPool,
    ILiquidityBookPair,
    IPair,
    ISolidlyPair,
    ITridentPool,
    IWooPool
} from "../interfaces/IPools.sol";
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

    function swapSolidly(ISwapExecutor.Step calldata step, uint256 amount) internal {
        step.tokenIn.safeTransfer(step.pool, amount);
        (uint256 reserve0, uint256 reserve1) = IPair(step.pool).getReserves();
        bool zeroForOne = step.tokenIn < step.tokenOut;
        uint256 received = step.tokenIn.balanceOf(step.pool) - (zeroForOne ? reserve0 : reserve1);
        uint256 amountOut = ISolidlyPair(step.pool).getAmountOut(received, step.tokenIn);
        _takeOut(step.pool, zeroForOne, amountOut);
    }

    function swapLiquidityBook(ISwapExecutor.Step calldata step, uint256 amount) internal {
        step.tokenIn.safeTransfer(step.pool, amount);
        ILiquidityBookPair(step.pool).swap(abi.decode(step.data, (bool)), address(this));
    }

    function swapDodo(ISwapExecutor.Step calldata step, uint256 amount) internal {
        step.tokenIn.safeTransfer(step.pool, amount);
        if (abi.decode(step.data, (bool))) IDodoPool(step.pool).sellBase(address(this));
        else IDodoPool(step.pool).sellQuote(address(this));
    }

    function swapWooFi(ISwapExecutor.Step calldata step, uint256 amount) internal {
        step.tokenIn.safeTransfer(step.pool, amount);
        IWooPool(step.pool).swap(step.tokenIn, step.tokenOut, amount, 0, address(this), address(0));
    }

    function swapTrident(ISwapExecutor.Step calldata step, uint256 amount) internal {
        address bentoBox = abi.decode(step.data, (address));
        step.tokenIn.safeTransfer(bentoBox, amount);
        IBentoBox(bentoBox).deposit(step.tokenIn, bentoBox, step.pool, amount, 0);
        ITridentPool(step.pool).swap(abi.encode(step.tokenIn, address(this), true));
    }

    function _takeOut(address pair, bool zeroForOne, uint256 amountOut) private {
        (uint256 amount0Out, uint256 amount1Out) =
            zeroForOne ? (uint256(0), amountOut) : (amountOut, uint256(0));
        IPair(pair).swap(amount0Out, amount1Out, address(this), "");
    }
}
