// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Permit} from "./IERC20Permit.sol";

/// @title What the quota sale needs of its payment token beyond ERC-20
interface IPaymentToken is IERC20Permit {
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
