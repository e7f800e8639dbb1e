// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// @notice Native currency, wrapped one to one.
contract WrappedNative is TestToken {
    error NativeTransferFailed();

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        _balances[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        _balances[msg.sender] -= amount;
        (bool success,) = msg.sender.call{value: amount}("");
        if (!success) revert NativeTransferFailed();
    }
}
