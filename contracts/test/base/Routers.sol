// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IUserProxyV6} from "../../src/interfaces/IUserProxyV6.sol";
import {TestToken} from "../tokens/TestToken.sol";

/// @notice A router that takes and pays what it is told to; zero is native.
contract Router {
    error NativeTransferFailed();

    receive() external payable {}

    function trade(address tokenIn, uint256 taken, address tokenOut, uint256 paid, address receiver)
        external
        payable
    {
        if (tokenIn != address(0)) _pull(tokenIn, taken);
        if (tokenOut != address(0)) _push(tokenOut, receiver, paid);
        else _pushNative(receiver, paid);
    }

    /// @notice Takes the token, pays the output, and gives part of the value back.
    function tradeWithRefund(address tokenIn, uint256 taken, address tokenOut, uint256 refundWei)
        external
        payable
    {
        _pull(tokenIn, taken);
        _push(tokenOut, msg.sender, taken);
        _pushNative(msg.sender, refundWei);
    }

    /// @dev By low-level calls: some of the tokens return nothing.
    function _pull(address token, uint256 amount) private {
        (bool success,) =
            token.call(abi.encodeCall(TestToken.transferFrom, (msg.sender, address(this), amount)));
        require(success, "pull failed");
    }

    function _push(address token, address to, uint256 amount) private {
        (bool success,) = token.call(abi.encodeCall(TestToken.transfer, (to, amount)));
        require(success, "push failed");
    }

    function _pushNative(address to, uint256 amount) private {
        (bool success,) = to.call{value: amount}("");
        if (!success) revert NativeTransferFailed();
    }
}

/// @notice A router that answers with as much data as it is asked for, as success or as a revert.
contract BombRouter {
    function explode(TestToken token, uint256 size, bool success) external {
        token.mint(msg.sender, 1);
        assembly ("memory-safe") {
            switch success
            case 1 { return(0, size) }
            default { revert(0, size) }
        }
    }

    function revertEmpty() external pure {
        assembly ("memory-safe") {
            revert(0, 0)
        }
    }
}

/// @notice A router that calls back into the proxy, as a stranger and through its owner.
contract ReentrantRouter {
    function reenter(address through, bytes calldata data) external {
        (bool success, bytes memory reason) = through.call(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}

/// @notice An owner that is a contract: forwards calls, and takes native currency only when told to.
contract ContractOwner {
    bool public accepting;

    receive() external payable {
        require(accepting, "no native currency");
    }

    function setAccepting(bool value) external {
        accepting = value;
    }

    function run(address target, bytes calldata data, uint256 value)
        external
        returns (bytes memory)
    {
        (bool success, bytes memory result) = target.call{value: value}(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
        return result;
    }

    function execute(IUserProxyV6 proxy, IUserProxyV6.Swap calldata swap)
        external
        returns (uint256)
    {
        return proxy.execute(swap);
    }
}
