// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../../src/interfaces/ISwapExecutor.sol";
import {ISwapCallbacks} from "../pools/V3Pool.sol";
import {TestToken} from "../tokens/TestToken.sol";

/// @notice A pool under an attacker's control: whatever it is called with, it plays the chosen trick.
contract EvilPool {
    enum Trick {
        Nothing,
        AskTooMuch,
        AskTwice,
        AskNegative,
        Reenter,
        AskThroughAnother,
        TakeByAllowance
    }

    ISwapExecutor private immutable EXECUTOR;
    Trick private _trick;
    address private _token;
    EvilPool private _accomplice;

    /// @notice What the attacker tried while it was called, and whether that was refused.
    bytes public lastRefusal;

    constructor(ISwapExecutor executor) {
        EXECUTOR = executor;
    }

    fallback() external payable {
        _play();
    }

    receive() external payable {}

    function arm(Trick trick, address token, EvilPool accomplice) external {
        _trick = trick;
        _token = token;
        _accomplice = accomplice;
    }

    function ask(uint256 amount) external {
        ISwapCallbacks(address(EXECUTOR)).uniswapV3SwapCallback(int256(amount), 0, "");
    }

    /// @notice Takes what an allowance left behind would give.
    function takeFrom(address token, address from, uint256 amount) external returns (bool taken) {
        (taken,) = token.call(abi.encodeCall(TestToken.transferFrom, (from, address(this), amount)));
    }

    function _play() private {
        ISwapCallbacks payer = ISwapCallbacks(address(EXECUTOR));
        if (_trick == Trick.AskTooMuch) {
            payer.uniswapV3SwapCallback(
                int256(TestToken(_token).balanceOf(address(EXECUTOR))), 0, ""
            );
        } else if (_trick == Trick.AskTwice) {
            payer.uniswapV3SwapCallback(1, 0, "");
            payer.uniswapV3SwapCallback(1, 0, "");
        } else if (_trick == Trick.AskNegative) {
            payer.uniswapV3SwapCallback(-1, -1, "");
        } else if (_trick == Trick.AskThroughAnother) {
            _accomplice.ask(1);
        } else if (_trick == Trick.Reenter) {
            ISwapExecutor.SwapParameters memory params = ISwapExecutor.SwapParameters({
                tokenIn: _token,
                amountIn: 0,
                tokenOut: address(this),
                minAmountOut: 0,
                recipient: address(this),
                deadline: type(uint256).max
            });
            EXECUTOR.swap(params, new ISwapExecutor.Step[](0));
        }
        assembly ("memory-safe") {
            mstore(0, 0)
            mstore(0x20, 0)
            mstore(0x40, 0)
            return(0, 0x60)
        }
    }
}
