// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IMaverickPool} from "../../src/interfaces/IPools.sol";
import {IBalancerV3Vault, IPoolManager} from "../../src/interfaces/IVaults.sol";
import {FixedPrice} from "./FixedPrice.sol";

interface IUnlockCallback {
    function unlockCallback(bytes calldata data) external returns (bytes memory);
}

/// @notice The accounts of an unlocked vault: what its caller owes (negative) and may take.
abstract contract Accounts is FixedPrice {
    error NotSettled();
    error Locked();

    int256 internal _open;
    mapping(address => int256) internal _deltas;
    bool internal _unlocked;
    uint256 public capacity = type(uint256).max;

    function setCapacity(uint256 value) external {
        capacity = value;
    }

    function _account(address token, int256 change) internal {
        if (!_unlocked) revert Locked();
        int256 before = _deltas[token];
        _deltas[token] = before + change;
        if (before == 0 && change != 0) ++_open;
        else if (before != 0 && before + change == 0) --_open;
    }

    function _trade(address tokenIn, address tokenOut, uint256 amount)
        internal
        returns (uint256 amountIn, uint256 amountOut)
    {
        amountIn = amount > capacity ? capacity : amount;
        amountOut = quote(amountIn);
        _account(tokenIn, -int256(amountIn));
        _account(tokenOut, int256(amountOut));
    }

    function _lock() internal {
        if (_open != 0) revert NotSettled();
        _unlocked = false;
    }
}

/// @notice Uniswap v4's manager: one price for every pool, real debts and credits.
contract PoolManager is Accounts {
    address private _synced;
    uint256 private _syncedBalance;

    receive() external payable {}

    function unlock(bytes calldata data) external returns (bytes memory result) {
        _unlocked = true;
        result = IUnlockCallback(msg.sender).unlockCallback(data);
        _lock();
    }

    function swap(
        IPoolManager.PoolKey calldata key,
        IPoolManager.SwapParams calldata params,
        bytes calldata
    ) external returns (int256) {
        (address tokenIn, address tokenOut) = params.zeroForOne
            ? (key.currency0, key.currency1)
            : (key.currency1, key.currency0);
        (uint256 amountIn, uint256 amountOut) =
            _trade(tokenIn, tokenOut, uint256(-params.amountSpecified));
        (int256 change0, int256 change1) = params.zeroForOne
            ? (-int256(amountIn), int256(amountOut))
            : (int256(amountOut), -int256(amountIn));
        return (change0 << 128) | int256(uint256(uint128(int128(change1))));
    }

    function sync(address currency) external {
        (_synced, _syncedBalance) = (currency, _held(currency));
    }

    function settle() external payable returns (uint256 paid) {
        paid = _synced == address(0) ? msg.value : _held(_synced) - _syncedBalance;
        _account(_synced, int256(paid));
        _synced = address(0);
    }

    function take(address currency, address to, uint256 amount) external {
        _account(currency, -int256(amount));
        _send(currency, to, amount);
    }
}

/// @notice Balancer v3's vault: calls its caller with whatever calldata it was unlocked with.
contract BalancerV3Vault is Accounts {
    mapping(address => uint256) private _reserves;

    function sync(address token) external {
        _reserves[token] = _held(token);
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        _unlocked = true;
        (bool success, bytes memory result) = msg.sender.call(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
        _lock();
        return result;
    }

    function swap(IBalancerV3Vault.VaultSwapParams calldata params)
        external
        returns (uint256, uint256 amountIn, uint256 amountOut)
    {
        (amountIn, amountOut) = _trade(params.tokenIn, params.tokenOut, params.amountGivenRaw);
        return (amountOut, amountIn, amountOut);
    }

    function settle(address token, uint256 amountHint) external returns (uint256 credit) {
        credit = _held(token) - _reserves[token];
        if (credit > amountHint) credit = amountHint;
        _reserves[token] = _held(token);
        _account(token, int256(credit));
    }

    function sendTo(address token, address to, uint256 amount) external {
        _account(token, -int256(amount));
        _send(token, to, amount);
        _reserves[token] = _held(token);
    }
}

interface IMaverickCallback {
    function maverickV2SwapCallback(
        address token,
        uint256 amountIn,
        uint256 amountOut,
        bytes calldata
    ) external;
}

/// @notice Maverick v2: pays out, asks by callback when given data, takes at most its capacity.
contract MaverickPool is FixedPrice {
    address public immutable tokenA;
    address public immutable tokenB;
    uint256 public capacity = type(uint256).max;

    constructor(address a, address b) {
        (tokenA, tokenB) = (a, b);
    }

    function setCapacity(uint256 value) external {
        capacity = value;
    }

    function swap(address recipient, IMaverickPool.SwapParams calldata params, bytes calldata data)
        external
        returns (uint256 amountIn, uint256 amountOut)
    {
        (address tokenIn, address tokenOut) = params.tokenAIn ? (tokenA, tokenB) : (tokenB, tokenA);
        amountIn = params.amount > capacity ? capacity : params.amount;
        amountOut = quote(amountIn);
        uint256 before = _held(tokenIn);
        _send(tokenOut, recipient, amountOut);
        if (data.length != 0) {
            IMaverickCallback(msg.sender).maverickV2SwapCallback(tokenIn, amountIn, amountOut, data);
        }
        if (_held(tokenIn) < before + amountIn) revert NothingPaid();
    }
}
