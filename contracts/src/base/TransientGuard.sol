// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Reentrancy guard in transient storage
/// @notice One flag per contract (per clone, for clones), gone at the end of the transaction.
abstract contract TransientGuard {
    /// @notice Thrown when a guarded function is entered while another one still runs.
    error Reentrancy();

    bool private transient _entered;

    modifier nonReentrant() {
        _enter();
        _;
        _entered = false;
    }

    function _enter() private {
        if (_entered) revert Reentrancy();
        _entered = true;
    }
}
