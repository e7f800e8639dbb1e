// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TransientGuard} from "./base/TransientGuard.sol";
import {IERC20Permit} from "./interfaces/IERC20Permit.sol";
import {ISwapExecutor} from "./interfaces/ISwapExecutor.sol";
import {AllowanceSwaps} from "./swaps/AllowanceSwaps.sol";
import {ConcentratedSwaps} from "./swaps/ConcentratedSwaps.sol";
import {NativeCurrency} from "./swaps/NativeCurrency.sol";
import {PairSwaps} from "./swaps/PairSwaps.sol";
import {StepKinds} from "./swaps/StepKinds.sol";
import {VaultSwaps} from "./swaps/VaultSwaps.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title SwapExecutor
/// @dev Why amounts may come from balances: `swap` starts and ends with nothing held, runs under a guard,
/// and nothing else moves tokens, so during a call every balance belongs to that caller. A token sent
/// here by mistake falls to whoever swaps it next.
/// Why users may approve it: `transferFrom` is called in one place, with the caller as its source, and
/// `permit` in one, with the caller as the owner; every other call has a fixed selector of a pool
/// interface; a pool's allowance lasts for that pool's call only; callbacks are answered once, to the
/// pool just called, up to its step's amount.
contract SwapExecutor is TransientGuard, ConcentratedSwaps, AllowanceSwaps, VaultSwaps {
    using SafeTransferLib for address;

    uint256 private constant WHOLE_SHARE = 1 << 64;

    constructor(address wrappedNative) NativeCurrency(wrappedNative) {}

    /// @inheritdoc ISwapExecutor
    function swap(SwapParameters calldata params, Step[] calldata steps)
        external
        payable
        nonReentrant
        returns (uint256 amountOut)
    {
        amountOut = _swap(params, steps);
    }

    /// @inheritdoc ISwapExecutor
    function swapWithPermit(
        SwapParameters calldata params,
        Step[] calldata steps,
        uint256 permitDeadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant returns (uint256 amountOut) {
        try IERC20Permit(params.tokenIn)
            .permit(msg.sender, address(this), params.amountIn, permitDeadline, v, r, s) {}
            catch {}
        amountOut = _swap(params, steps);
    }

    function _swap(SwapParameters calldata params, Step[] calldata steps)
        private
        returns (uint256 amountOut)
    {
        // A deadline needs the clock; a sequencer's few seconds are within what a deadline means.
        // forge-lint: disable-next-line(block-timestamp)
        if (block.timestamp > params.deadline) revert Expired(params.deadline);
        if (params.tokenIn == params.tokenOut) revert IdenticalTokens();
        address recipient = params.recipient == address(0) ? msg.sender : params.recipient;
        if (recipient == address(this)) revert InvalidRecipient();
        _takeInput(params.tokenIn, params.amountIn);
        for (uint256 i = 0; i < steps.length; ++i) {
            _runStep(steps[i]);
        }
        _returnLeftovers(params, steps, recipient);
        amountOut = _deliver(params.tokenOut, recipient);
        if (amountOut < params.minAmountOut) {
            revert InsufficientOutput(amountOut, params.minAmountOut);
        }
    }

    function _takeInput(address tokenIn, uint256 amountIn) private {
        if (tokenIn == address(0)) {
            if (msg.value != amountIn) revert InvalidValue(msg.value);
            _wrap(amountIn);
            return;
        }
        if (msg.value != 0) revert InvalidValue(msg.value);
        tokenIn.safeTransferFrom(msg.sender, address(this), amountIn);
    }

    /// @dev A step that finds nothing to spend is passed over; minAmountOut judges the result.
    function _runStep(Step calldata step) private {
        uint256 amount = step.tokenIn.balanceOf(address(this));
        if (step.share > WHOLE_SHARE) revert InvalidShare(step.share);
        if (step.share < WHOLE_SHARE) amount = (amount * step.share) >> 64;
        if (amount == 0) return;
        _runKind(step.kind, step, amount);
    }

    function _runKind(uint8 kind, Step calldata step, uint256 amount) private {
        if (kind == StepKinds.UNISWAP_V2) PairSwaps.swapUniswapV2(step, amount);
        else if (kind == StepKinds.UNISWAP_V3) _swapConcentrated(step, amount);
        else if (kind == StepKinds.SOLIDLY) PairSwaps.swapSolidly(step, amount);
        else if (kind == StepKinds.UNISWAP_V4) _swapUniswapV4(step, amount);
        else if (kind == StepKinds.BALANCER_V2) _swapBalancerV2(step, amount);
        else if (kind == StepKinds.BALANCER_V3) _swapBalancerV3(step, amount);
        else if (kind == StepKinds.CURVE_STABLE) _swapCurveStable(step, amount);
        else if (kind == StepKinds.CURVE_CRYPTO) _swapCurveCrypto(step, amount);
        else if (kind == StepKinds.LIQUIDITY_BOOK) PairSwaps.swapLiquidityBook(step, amount);
        else if (kind == StepKinds.MAVERICK_V2) _swapMaverick(step, amount);
        else if (kind == StepKinds.DODO_V2) PairSwaps.swapDodo(step, amount);
        else if (kind == StepKinds.WOOFI) PairSwaps.swapWooFi(step, amount);
        else if (kind == StepKinds.FLUID) _swapFluid(step, amount);
        else if (kind == StepKinds.TRIDENT) PairSwaps.swapTrident(step, amount);
        else if (kind == StepKinds.ERC4626) _swapErc4626(step, amount);
        else if (kind == StepKinds.AAVE_V3) _swapAaveV3(step, amount);
        else if (kind == StepKinds.PSM3) _swapPsm3(step, amount);
        else revert UnknownKind(kind);
    }

    /// @dev What partly filled pools left, of the input and of every token between. Native input comes
    /// back native.
    function _returnLeftovers(
        SwapParameters calldata params,
        Step[] calldata steps,
        address recipient
    ) private {
        address output = _wrapped(params.tokenOut);
        if (params.tokenIn == address(0)) {
            if (output != WRAPPED_NATIVE) _deliver(address(0), recipient);
        } else if (params.tokenIn != output) {
            _sendAll(params.tokenIn, recipient);
        }
        for (uint256 i = 0; i < steps.length; ++i) {
            address spent = steps[i].tokenIn;
            address received = steps[i].tokenOut;
            if (spent != output && spent != params.tokenIn) _sendAll(spent, recipient);
            if (received != output && received != params.tokenIn) _sendAll(received, recipient);
        }
    }

    /// @return amountOut The recipient's gain: its balance's growth, so a token's transfer tax counts;
    /// of native currency, what was sent.
    function _deliver(address tokenOut, address recipient) private returns (uint256 amountOut) {
        if (tokenOut == address(0)) {
            amountOut = WRAPPED_NATIVE.balanceOf(address(this));
            if (amountOut == 0) return 0;
            _unwrap(amountOut);
            recipient.safeTransferETH(amountOut);
            return amountOut;
        }
        uint256 before = tokenOut.balanceOf(recipient);
        _sendAll(tokenOut, recipient);
        uint256 afterwards = tokenOut.balanceOf(recipient);
        amountOut = afterwards > before ? afterwards - before : 0;
    }

    function _sendAll(address token, address to) private {
        uint256 amount = token.balanceOf(address(this));
        if (amount != 0) token.safeTransfer(to, amount);
    }

    function _wrapped(address token) private view returns (address) {
        return token == address(0) ? WRAPPED_NATIVE : token;
    }
}
