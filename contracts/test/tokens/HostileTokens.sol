// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../../src/interfaces/ISwapExecutor.sol";
import {ISwapCallbacks} from "../pools/V3Pool.sol";
import {TestToken} from "./TestToken.sol";

/// @notice Like USDT on Ethereum: returns nothing, and an allowance can only be set from zero.
contract UsdtLikeToken {
    error AllowanceNotZero();

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        if (amount != 0 && allowance[msg.sender][spender] != 0) revert AllowanceNotZero();
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// @notice Answers false instead of reverting, and moves nothing, while it is set to.
contract FalseToken is TestToken {
    bool public failing;

    function setFailing(bool value) external {
        failing = value;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        if (failing) return false;
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount)
        external
        override
        returns (bool)
    {
        if (failing) return false;
        _spend(from, amount);
        _move(from, to, amount);
        return true;
    }
}

/// @notice Burns a share of every transfer.
contract TaxToken is TestToken {
    uint256 public immutable TAX_BPS;

    constructor(uint256 taxBps) {
        TAX_BPS = taxBps;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        uint256 tax = amount * TAX_BPS / 10_000;
        _balances[to] -= tax;
        emit Transfer(to, address(0), tax);
    }
}

/// @notice Every balance is shares times an index, rounded down; a transfer may lose a wei.
contract RebasingToken is TestToken {
    uint256 public index = 1e18;

    function rebase(uint256 newIndex) external {
        index = newIndex;
    }

    function mint(address to, uint256 amount) external override {
        _balances[to] += _shares(amount);
    }

    function balanceOf(address account) public view override returns (uint256) {
        return _balances[account] * index / 1e18;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, _shares(amount));
    }

    function _shares(uint256 amount) private view returns (uint256) {
        return amount * 1e18 / index;
    }
}

interface ITransferHook {
    function onTokenTransfer(address from, address to, uint256 amount) external;
}

/// @notice Like ERC-777: calls a listener during every transfer, before and after the balances change.
contract HookToken is TestToken {
    ITransferHook public listener;

    function setListener(ITransferHook value) external {
        listener = value;
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (address(listener) != address(0)) listener.onTokenTransfer(from, to, amount);
        super._move(from, to, amount);
        if (address(listener) != address(0)) listener.onTokenTransfer(from, to, amount);
    }
}

/// @notice Takes any call, as the wrapped native token does: a permit of it succeeds and does nothing.
contract FallbackToken is TestToken {
    fallback() external {}
}

/// @notice While it is asked for a permit it enters the executor wherever that can be entered.
contract ReenteringPermitToken is TestToken {
    bytes[] public refusals;

    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external {
        ISwapExecutor.SwapParameters memory params;
        ISwapExecutor.Step[] memory steps = new ISwapExecutor.Step[](0);
        _enter(abi.encodeCall(ISwapExecutor.swap, (params, steps)));
        _enter(abi.encodeCall(ISwapExecutor.swapWithPermit, (params, steps, 0, 27, 0, 0)));
        _enter(abi.encodeCall(ISwapCallbacks.uniswapV3SwapCallback, (1, 0, "")));
    }

    function countRefusals() external view returns (uint256) {
        return refusals.length;
    }

    function _enter(bytes memory data) private {
        (bool success, bytes memory reason) = msg.sender.call(data);
        if (!success) refusals.push(reason);
    }
}
