// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PaidFirst} from "./FixedPrice.sol";
import {V2Pair} from "./V2Pair.sol";

/// @notice Aerodrome's and Camelot's way: the pair itself tells the output, its reserves are wider.
contract SolidlyPair is V2Pair {
    constructor(address tokenA, address tokenB, uint256 feePips) V2Pair(tokenA, tokenB, feePips) {}

    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) =
            tokenIn == token0 ? (_reserve0, _reserve1) : (_reserve1, _reserve0);
        uint256 kept = amountIn - amountIn * FEE_PIPS / 1e6;
        // One less than the invariant allows, so that its own check never fails on the fee's rounding.
        uint256 amountOut = kept * reserveOut / (reserveIn + kept);
        return amountOut == 0 ? 0 : amountOut - 1;
    }
}

contract LiquidityBookPair is PaidFirst {
    constructor(address x, address y) PaidFirst(x, y) {}

    function swap(bool swapForY, address to) external returns (bytes32 amountsOut) {
        uint256 amountOut = _sell(swapForY ? tokenX : tokenY, to);
        amountsOut = bytes32(swapForY ? amountOut << 128 : amountOut);
    }
}

contract DodoPool is PaidFirst {
    constructor(address base, address quoteToken) PaidFirst(base, quoteToken) {}

    function sellBase(address to) external returns (uint256) {
        return _sell(tokenX, to);
    }

    function sellQuote(address to) external returns (uint256) {
        return _sell(tokenY, to);
    }
}

contract WooPool is PaidFirst {
    error FromAmountNotPaid();
    error TooLittle();

    constructor(address x, address y) PaidFirst(x, y) {}

    function swap(
        address fromToken,
        address toToken,
        uint256 fromAmount,
        uint256 minToAmount,
        address to,
        address
    ) external returns (uint256 amountOut) {
        if (_held(fromToken) - _reserves[fromToken] < fromAmount) {
            revert FromAmountNotPaid();
        }
        amountOut = quote(fromAmount);
        if (amountOut < minToAmount) revert TooLittle();
        _send(toToken, to, amountOut);
        sync();
    }
}
