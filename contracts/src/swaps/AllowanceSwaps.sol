// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    IAavePool,
    IBalancerV2Vault,
    ICurveCryptoPool,
    ICurveStablePool,
    IErc4626,
    IFluidPool,
    IPsm3
} from "../interfaces/IPools.sol";
import {NativeCurrency} from "./NativeCurrency.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title Swaps through pools that pull their input
/// @dev The allowance is the step's amount and ends with the pool's call: one left behind would let its
/// holder reach into a later caller's swap.
abstract contract AllowanceSwaps is NativeCurrency {
    using SafeTransferLib for address;

    /// @dev `native`: the wrapped token of the step is native currency to the pool. As input it is sent as
    /// value then, as output it is wrapped when it has come.
    modifier paying(Step calldata step, uint256 amount, bool native) {
        bool nativeIn = native && step.tokenIn == WRAPPED_NATIVE;
        if (nativeIn) _unwrap(amount);
        else step.tokenIn.safeApproveWithRetry(step.pool, amount);
        if (native) _acceptNative();
        _;
        if (native) _wrapReceived();
        if (!nativeIn) step.tokenIn.safeApprove(step.pool, 0);
    }

    function _swapBalancerV2(Step calldata step, uint256 amount)
        internal
        paying(step, amount, false)
    {
        IBalancerV2Vault.SingleSwap memory singleSwap = IBalancerV2Vault.SingleSwap({
            poolId: abi.decode(step.data, (bytes32)),
            kind: IBalancerV2Vault.SwapKind.GivenIn,
            assetIn: step.tokenIn,
            assetOut: step.tokenOut,
            amount: amount,
            userData: ""
        });
        IBalancerV2Vault.FundManagement memory funds = IBalancerV2Vault.FundManagement({
            sender: address(this),
            fromInternalBalance: false,
            recipient: address(this),
            toInternalBalance: false
        });
        IBalancerV2Vault(step.pool).swap(singleSwap, funds, 0, block.timestamp);
    }

    function _swapCurveStable(Step calldata step, uint256 amount) internal {
        (uint256 i, uint256 j, bool native) = abi.decode(step.data, (uint256, uint256, bool));
        _exchange(step, amount, i, j, native);
    }

    function _swapCurveCrypto(Step calldata step, uint256 amount)
        internal
        paying(step, amount, false)
    {
        (uint256 i, uint256 j) = abi.decode(step.data, (uint256, uint256));
        ICurveCryptoPool(step.pool).exchange(i, j, amount, 0);
    }

    function _swapFluid(Step calldata step, uint256 amount) internal {
        (bool swap0to1, bool native) = abi.decode(step.data, (bool, bool));
        _swapIn(step, amount, swap0to1, native);
    }

    /// @dev Shares are the vault's own token: whoever sells them redeems.
    function _swapErc4626(Step calldata step, uint256 amount) internal {
        if (step.tokenIn == step.pool) {
            IErc4626(step.pool).redeem(amount, address(this), address(this));
        } else {
            _deposit(step, amount);
        }
    }

    function _swapAaveV3(Step calldata step, uint256 amount) internal {
        if (abi.decode(step.data, (bool))) _supply(step, amount);
        else IAavePool(step.pool).withdraw(step.tokenOut, amount, address(this));
    }

    function _swapPsm3(Step calldata step, uint256 amount) internal paying(step, amount, false) {
        IPsm3(step.pool).swapExactIn(step.tokenIn, step.tokenOut, amount, 0, address(this), 0);
    }

    function _deposit(Step calldata step, uint256 amount) private paying(step, amount, false) {
        IErc4626(step.pool).deposit(amount, address(this));
    }

    function _supply(Step calldata step, uint256 amount) private paying(step, amount, false) {
        IAavePool(step.pool).supply(step.tokenIn, amount, address(this), 0);
    }

    function _exchange(Step calldata step, uint256 amount, uint256 i, uint256 j, bool native)
        private
        paying(step, amount, native)
    {
        // Curve pools have at most eight coins; a larger index fails in the pool.
        // forge-lint: disable-next-item(unsafe-typecast)
        ICurveStablePool(step.pool).exchange{value: _valueOf(step, amount, native)}(
            int128(uint128(i)), int128(uint128(j)), amount, 0
        );
    }

    function _swapIn(Step calldata step, uint256 amount, bool swap0to1, bool native)
        private
        paying(step, amount, native)
    {
        IFluidPool(step.pool).swapIn{value: _valueOf(step, amount, native)}(
            swap0to1, amount, 0, address(this)
        );
    }

    function _valueOf(Step calldata step, uint256 amount, bool native)
        private
        view
        returns (uint256)
    {
        return native && step.tokenIn == WRAPPED_NATIVE ? amount : 0;
    }
}
