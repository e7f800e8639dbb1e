// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title EIP-2612
interface IERC20Permit {
    /// @notice Sets the owner's allowance for the spender by the owner's signature.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}
