// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestToken.sol";

/// @notice Base of the fixture pools whose own maths does not matter to the executor: one to one, less a
/// fee rounded up. Each fixture has the interface of its family and the way it wants to be paid.
abstract contract FixedPrice {
    error NothingPaid();
    error NativeTransferFailed();

    uint256 public constant FEE_PIPS = 2500;

    function quote(uint256 amountIn) public pure returns (uint256) {
        return amountIn * (1e6 - FEE_PIPS) / 1e6;
    }

    /// @dev Zero is native.
    function _send(address token, address to, uint256 amount) internal {
        if (token != address(0)) {
            TestToken(token).transfer(to, amount);
            return;
        }
        (bool success,) = to.call{value: amount}("");
        if (!success) revert NativeTransferFailed();
    }

    function _held(address token) internal view returns (uint256) {
        return
            token == address(0) ? address(this).balance : TestToken(token).balanceOf(address(this));
    }
}

/// @notice A pool of two tokens that notices what was paid by its balance.
abstract contract PaidFirst is FixedPrice {
    address public immutable tokenX;
    address public immutable tokenY;

    mapping(address => uint256) internal _reserves;

    constructor(address x, address y) {
        (tokenX, tokenY) = (x, y);
    }

    function sync() public {
        _reserves[tokenX] = _held(tokenX);
        _reserves[tokenY] = _held(tokenY);
    }

    function _sell(address tokenIn, address to) internal returns (uint256 amountOut) {
        uint256 amountIn = _held(tokenIn) - _reserves[tokenIn];
        if (amountIn == 0) revert NothingPaid();
        amountOut = quote(amountIn);
        _send(tokenIn == tokenX ? tokenY : tokenX, to, amountOut);
        sync();
    }
}
