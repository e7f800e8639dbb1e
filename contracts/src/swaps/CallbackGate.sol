// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../interfaces/ISwapExecutor.sol";

/// @title The one callback a step expects
/// @dev Held in transient storage for the length of one pool call: who may call back, which token it may
/// ask for and how much of it. A callback closes the gate, so each step answers one at most; between
/// steps and outside swaps the gate admits nobody.
abstract contract CallbackGate {
    address internal transient _callbackPool;
    address internal transient _callbackToken;
    uint256 internal transient _callbackAmount;

    function _openGate(address pool, address token, uint256 amount) internal {
        _callbackPool = pool;
        _callbackToken = token;
        _callbackAmount = amount;
    }

    function _closeGate() internal {
        _callbackPool = address(0);
    }

    /// @dev Admits the pool just called, once; returns what its step may spend.
    function _passGate() internal returns (address token, uint256 amount) {
        if (msg.sender != _callbackPool) revert ISwapExecutor.UnexpectedCallback(msg.sender);
        _closeGate();
        return (_callbackToken, _callbackAmount);
    }

    function _toInt256(uint256 amount) internal pure returns (int256) {
        if (amount > uint256(type(int256).max)) {
            revert ISwapExecutor.ExcessiveInput(amount, uint256(type(int256).max));
        }
        // Checked above.
        // forge-lint: disable-next-line(unsafe-typecast)
        return int256(amount);
    }
}
