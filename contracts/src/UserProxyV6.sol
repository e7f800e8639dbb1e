// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TransientGuard} from "./base/TransientGuard.sol";
import {IUserProxyV6} from "./interfaces/IUserProxyV6.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title UserProxyV6
/// @dev Runs behind solady clones whose immutable argument, at byte 0x2d of their code, is the owner.
contract UserProxyV6 is IUserProxyV6, TransientGuard {
    using SafeTransferLib for address;

    /// @dev Longest revert reason handed on: a target can't burn the caller's gas with a huge one.
    uint256 private constant MAX_REASON_BYTES = 4096;

    address private immutable SELF = address(this);

    modifier onlyClone() {
        _requireClone();
        _;
    }

    /// @notice Accepts native currency from routers; it leaves in the same call, or by `sweep`.
    receive() external payable onlyClone {}

    /// @inheritdoc IUserProxyV6
    function execute(Swap calldata swap)
        external
        payable
        onlyClone
        nonReentrant
        returns (uint256 amountOut)
    {
        address to = _owner();
        if (msg.sender != to) revert NotOwner();
        _check(swap);
        uint256 strayWei = address(this).balance - msg.value;
        uint256 before = _settleOutput(swap.tokenOut, to);
        if (swap.tokenIn != address(0)) _callWithAllowance(swap, to);
        else _callTarget(swap.target, swap.data);
        _sendAll(swap.tokenIn, to);
        _sendAll(swap.tokenOut, to);
        _sendAllNative(to, strayWei);
        uint256 afterwards = _balanceOf(swap.tokenOut, to);
        amountOut = afterwards > before ? afterwards - before : 0;
        if (amountOut < swap.minOut) revert InsufficientOutput(amountOut, swap.minOut);
    }

    /// @inheritdoc IUserProxyV6
    function sweep(address token) external onlyClone nonReentrant returns (uint256 amount) {
        address to = _owner();
        amount = _balanceOf(token, address(this));
        if (token == address(0)) to.safeTransferETH(amount);
        else token.safeTransfer(to, amount);
    }

    /// @inheritdoc IUserProxyV6
    function owner() external view onlyClone returns (address) {
        return _owner();
    }

    /// @dev Pulls what the owner offers, approves what arrived (less for a token with a transfer tax),
    /// and leaves the allowance at zero whatever the spender took.
    function _callWithAllowance(Swap calldata swap, address from) private {
        address token = swap.tokenIn;
        uint256 held = token.balanceOf(address(this));
        token.safeTransferFrom(from, address(this), swap.amountIn);
        uint256 received = token.balanceOf(address(this)) - held;
        token.safeApproveWithRetry(swap.spender, received);
        _callTarget(swap.target, swap.data);
        token.safeApprove(swap.spender, 0);
    }

    function _callTarget(address target, bytes calldata data) private {
        bytes memory input = data;
        bool success;
        uint256 size;
        assembly ("memory-safe") {
            success := call(gas(), target, callvalue(), add(input, 0x20), mload(input), 0, 0)
            size := returndatasize()
        }
        if (success) return;
        if (size == 0) revert TargetReverted();
        if (size > MAX_REASON_BYTES) size = MAX_REASON_BYTES;
        assembly ("memory-safe") {
            let reason := mload(0x40)
            returndatacopy(reason, 0, size)
            revert(reason, size)
        }
    }

    /// @dev What lies here, and the value that this call brings, is the owner's already: neither counts as
    /// output. A token leaves at once, since a tax may take part of it on its way.
    function _settleOutput(address tokenOut, address to) private returns (uint256 balance) {
        if (tokenOut == address(0)) return to.balance + address(this).balance;
        _sendAll(tokenOut, to);
        return tokenOut.balanceOf(to);
    }

    function _sendAll(address token, address to) private {
        if (token == address(0)) return;
        uint256 amount = token.balanceOf(address(this));
        if (amount != 0) token.safeTransfer(to, amount);
    }

    /// @dev Native currency that this swap brought must reach the owner. What lay here before may fail
    /// to: otherwise anyone could block an owner that refuses it by sending the proxy one wei.
    function _sendAllNative(address to, uint256 strayWei) private {
        uint256 amount = address(this).balance;
        if (amount > strayWei) to.safeTransferETH(amount);
        else if (amount != 0) to.trySafeTransferETH(amount, gasleft());
    }

    function _check(Swap calldata swap) private view {
        // A deadline needs the clock; a sequencer's few seconds are within what a deadline means.
        // forge-lint: disable-next-line(block-timestamp)
        if (block.timestamp > swap.deadline) revert Expired(swap.deadline);
        if (swap.tokenIn == swap.tokenOut) revert IdenticalTokens();
        if (swap.minOut == 0) revert ZeroMinOut();
        address target = swap.target;
        if (
            target.code.length == 0 || target == address(this) || target == swap.tokenIn
                || target == swap.tokenOut
        ) revert InvalidTarget(target);
        if (swap.tokenIn == address(0) && msg.value < swap.amountIn) {
            revert InsufficientValue(msg.value, swap.amountIn);
        }
    }

    function _balanceOf(address token, address account) private view returns (uint256) {
        return token == address(0) ? account.balance : token.balanceOf(account);
    }

    function _owner() private view returns (address account) {
        assembly ("memory-safe") {
            mstore(0x00, 0)
            extcodecopy(address(), 0x0c, 0x2d, 0x14)
            account := mload(0x00)
        }
    }

    function _requireClone() private view {
        if (address(this) == SELF) revert NotClone();
    }
}
