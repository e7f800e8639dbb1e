// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestToken.sol";

/// @notice A constant-product pair with Uniswap v2's interface, maths and invariant check.
contract V2Pair {
    error InvariantBroken();
    error NothingPaid();

    address public immutable token0;
    address public immutable token1;
    uint256 public immutable FEE_PIPS;

    uint256 internal _reserve0;
    uint256 internal _reserve1;

    constructor(address tokenA, address tokenB, uint256 feePips) {
        (token0, token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        FEE_PIPS = feePips;
    }

    function sync() public {
        _reserve0 = TestToken(token0).balanceOf(address(this));
        _reserve1 = TestToken(token1).balanceOf(address(this));
    }

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        if (amount0Out != 0) TestToken(token0).transfer(to, amount0Out);
        if (amount1Out != 0) TestToken(token1).transfer(to, amount1Out);
        uint256 balance0 = TestToken(token0).balanceOf(address(this));
        uint256 balance1 = TestToken(token1).balanceOf(address(this));
        uint256 in0 = balance0 + amount0Out > _reserve0 ? balance0 + amount0Out - _reserve0 : 0;
        uint256 in1 = balance1 + amount1Out > _reserve1 ? balance1 + amount1Out - _reserve1 : 0;
        if (in0 == 0 && in1 == 0) revert NothingPaid();
        uint256 adjusted0 = balance0 * 1e6 - in0 * FEE_PIPS;
        uint256 adjusted1 = balance1 * 1e6 - in1 * FEE_PIPS;
        if (adjusted0 * adjusted1 < _reserve0 * _reserve1 * 1e12) revert InvariantBroken();
        sync();
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (uint112(_reserve0), uint112(_reserve1), uint32(block.timestamp));
    }

    /// @notice What a swap of `amountIn` gives, as the pair's own library computes it.
    function quote(address tokenIn, uint256 amountIn) external view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) =
            tokenIn == token0 ? (_reserve0, _reserve1) : (_reserve1, _reserve0);
        uint256 kept = amountIn * (1e6 - FEE_PIPS);
        return kept * reserveOut / (reserveIn * 1e6 + kept);
    }
}
