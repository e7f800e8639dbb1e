// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IWrappedNative} from "../interfaces/IPools.sol";
import {ISwapExecutor} from "../interfaces/ISwapExecutor.sol";

/// @title Native currency inside the executor
/// @dev The executor counts in the wrapped token only: native currency is held between two lines of one
/// function. It is accepted from the wrapped token, and from anyone while a pool is asked to pay it out:
/// some pay through another contract, and what arrives is wrapped as the step's output.
abstract contract NativeCurrency is ISwapExecutor {
    /// @inheritdoc ISwapExecutor
    address public immutable WRAPPED_NATIVE;

    bool private transient _acceptsNative;

    constructor(address wrappedNative) {
        WRAPPED_NATIVE = wrappedNative;
    }

    /// @notice Accepts native currency from the wrapped token, or from a pool's native output.
    receive() external payable {
        if (msg.sender != WRAPPED_NATIVE && !_acceptsNative) revert InvalidValue(msg.value);
    }

    function _wrap(uint256 amount) internal {
        IWrappedNative(WRAPPED_NATIVE).deposit{value: amount}();
    }

    function _unwrap(uint256 amount) internal {
        IWrappedNative(WRAPPED_NATIVE).withdraw(amount);
    }

    function _acceptNative() internal {
        _acceptsNative = true;
    }

    /// @dev Ends what `_acceptNative` began and wraps what has come.
    function _wrapReceived() internal {
        _acceptsNative = false;
        uint256 amount = address(this).balance;
        if (amount != 0) _wrap(amount);
    }
}
