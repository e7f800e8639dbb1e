// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IBalancerV3Vault, IPoolManager} from "../interfaces/IVaults.sol";
import {CallbackGate} from "./CallbackGate.sol";
import {NativeCurrency} from "./NativeCurrency.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title Swaps through contracts that hold many pools and keep accounts while they are unlocked
/// @dev What to swap is sent through the vault and comes back by its callback. A dishonest vault may
/// change it, but spends no more than the gate allows, which is the step's own amount.
abstract contract VaultSwaps is CallbackGate, NativeCurrency {
    using SafeTransferLib for address;

    uint160 private constant MIN_SQRT_PRICE_X96 = 4_295_128_739;
    uint160 private constant MAX_SQRT_PRICE_X96 =
        1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342;

    /// @notice Uniswap v4's answer to `unlock`.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (address tokenIn, uint256 amount) = _passGate();
        (IPoolManager.PoolKey memory key, bytes memory hookData, bool zeroForOne) =
            abi.decode(data, (IPoolManager.PoolKey, bytes, bool));
        int256 delta = IPoolManager(msg.sender)
            .swap(
                key,
                IPoolManager.SwapParams({
                zeroForOne: zeroForOne,
                amountSpecified: -_toInt256(amount),
                sqrtPriceLimitX96: zeroForOne ? MIN_SQRT_PRICE_X96 + 1 : MAX_SQRT_PRICE_X96 - 1
            }),
                hookData
            );
        (uint256 amountIn, uint256 amountOut) = _readDelta(delta, zeroForOne);
        if (amountIn > amount) revert ExcessiveInput(amountIn, amount);
        (address currencyIn, address currencyOut) =
            zeroForOne ? (key.currency0, key.currency1) : (key.currency1, key.currency0);
        _settleV4(currencyIn, tokenIn, amountIn);
        IPoolManager(msg.sender).take(currencyOut, address(this), amountOut);
        return "";
    }

    /// @notice Balancer v3's answer to `unlock`.
    function balancerV3UnlockCallback(address pool, address tokenOut) external {
        (address tokenIn, uint256 amount) = _passGate();
        IBalancerV3Vault vault = IBalancerV3Vault(msg.sender);
        (, uint256 amountIn, uint256 amountOut) = vault.swap(
            IBalancerV3Vault.VaultSwapParams({
                kind: IBalancerV3Vault.SwapKind.ExactIn,
                pool: pool,
                tokenIn: tokenIn,
                tokenOut: tokenOut,
                amountGivenRaw: amount,
                limitRaw: 0,
                userData: ""
            })
        );
        if (amountIn > amount) revert ExcessiveInput(amountIn, amount);
        tokenIn.safeTransfer(address(vault), amountIn);
        vault.settle(tokenIn, amountIn);
        vault.sendTo(tokenOut, address(this), amountOut);
    }

    function _swapUniswapV4(Step calldata step, uint256 amount) internal {
        (IPoolManager.PoolKey memory key, bytes memory hookData) =
            abi.decode(step.data, (IPoolManager.PoolKey, bytes));
        bool zeroForOne = key.currency0 == step.tokenIn
            || (key.currency0 == address(0) && step.tokenIn == WRAPPED_NATIVE);
        _openGate(step.pool, step.tokenIn, amount);
        _acceptNative();
        IPoolManager(step.pool).unlock(abi.encode(key, hookData, zeroForOne));
        _wrapReceived();
        _closeGate();
    }

    function _swapBalancerV3(Step calldata step, uint256 amount) internal {
        address pool = abi.decode(step.data, (address));
        _openGate(step.pool, step.tokenIn, amount);
        IBalancerV3Vault(step.pool)
            .unlock(abi.encodeCall(this.balancerV3UnlockCallback, (pool, step.tokenOut)));
        _closeGate();
    }

    /// @dev Pays with the gate's token whatever currency the manager names: native only if that token is
    /// the wrapped one.
    function _settleV4(address currency, address token, uint256 amount) private {
        IPoolManager manager = IPoolManager(msg.sender);
        if (currency == address(0) && token == WRAPPED_NATIVE) {
            _unwrap(amount);
            manager.settle{value: amount}();
            return;
        }
        manager.sync(token);
        token.safeTransfer(address(manager), amount);
        manager.settle();
    }

    /// @dev What is paid is negative, what is received positive; anything else counts as nothing.
    function _readDelta(int256 delta, bool zeroForOne)
        private
        pure
        returns (uint256 amountIn, uint256 amountOut)
    {
        int256 change0 = delta >> 128;
        // The lower half is a number of its own.
        // forge-lint: disable-next-line(unsafe-typecast)
        int256 change1 = int128(delta);
        (int256 paid, int256 got) = zeroForOne ? (-change0, change1) : (-change1, change0);
        // Negative ones are taken out.
        // forge-lint: disable-next-line(unsafe-typecast)
        return (paid > 0 ? uint256(paid) : 0, got > 0 ? uint256(got) : 0);
    }
}
