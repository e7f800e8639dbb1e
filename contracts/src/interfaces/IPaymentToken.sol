// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title What the quota sale needs of its payment token beyond ERC-20
interface IPaymentToken {
    /// @notice EIP-2612.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice EIP-3009: only `to` itself may submit it.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}
