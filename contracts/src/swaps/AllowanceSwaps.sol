// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    IBalancerV2Vault,
    ICurveCryptoPool,
    ICurveStablePool,
    IFluidPool
} from "../interfaces/IPools.sol";
import {NativeCurrency} from "./NativeCurrency.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title Swaps through pools that pull their input
/// @dev The allowance is the step's amount and ends with the pool's call: one left behind would let its
/// holder reach into a later caller's swap.
abstract contract AllowanceSwaps is NativeCurrency {
    using SafeTransferLib for address;

    modifier withAllowance(Step calldata step, uint256 amount) {
        step.tokenIn.safeApproveWithRetry(step.pool, amount);
        _;
        step.tokenIn.safeApprove(step.pool, 0);
    }

    function _swapBalancerV2(Step calldata step, uint256 amount)
        internal
        withAllowance(step, amount)
    {
        IBalancerV2Vault(step.pool)
            .swap(
                IBalancerV2Vault.SingleSwap({
                poolId: abi.decode(step.data, (bytes32)),
                kind: IBalancerV2Vault.SwapKind.GivenIn,
                assetIn: step.tokenIn,
                assetOut: step.tokenOut,
                amount: amount,
                userData: ""
            }),
                IBalancerV2Vault.FundManagement({
                sender: address(this),
                fromInternalBalance: false,
                recipient: address(this),
                toInternalBalance: false
            }),
                0,
                block.timestamp
            );
    }

    function _swapCurveStable(Step calldata step, uint256 amount)
        internal
        withAllowance(step, amount)
    {
        (uint256 i, uint256 j) = abi.decode(step.data, (uint256, uint256));
        // Curve pools have at most eight coins; a larger index fails in the pool.
        // forge-lint: disable-next-line(unsafe-typecast)
        ICurveStablePool(step.pool).exchange(int128(uint128(i)), int128(uint128(j)), amount, 0);
    }

    function _swapCurveCrypto(Step calldata step, uint256 amount)
        internal
        withAllowance(step, amount)
    {
        (uint256 i, uint256 j) = abi.decode(step.data, (uint256, uint256));
        ICurveCryptoPool(step.pool).exchange(i, j, amount, 0);
    }

    function _swapFluid(Step calldata step, uint256 amount) internal {
        (bool swap0to1, bool native) = abi.decode(step.data, (bool, bool));
        if (native && step.tokenIn == WRAPPED_NATIVE) {
            _unwrap(amount);
            IFluidPool(step.pool).swapIn{value: amount}(swap0to1, amount, 0, address(this));
        } else if (native) {
            _swapFluidToNative(step, amount, swap0to1);
        } else {
            _swapFluidTokens(step, amount, swap0to1);
        }
    }

    function _swapFluidToNative(Step calldata step, uint256 amount, bool swap0to1)
        private
        wrapsOutput
    {
        _swapFluidTokens(step, amount, swap0to1);
    }

    function _swapFluidTokens(Step calldata step, uint256 amount, bool swap0to1)
        private
        withAllowance(step, amount)
    {
        IFluidPool(step.pool).swapIn(swap0to1, amount, 0, address(this));
    }
}
