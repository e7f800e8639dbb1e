// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TransientGuard} from "./base/TransientGuard.sol";
import {IPaymentToken} from "./interfaces/IPaymentToken.sol";
import {IQuotaManager} from "./interfaces/IQuotaManager.sol";
import {ISwapExecutor} from "./interfaces/ISwapExecutor.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title QuotaManager
/// @dev Every token but TOKEN only passes through: what a swap leaves over goes back to its payer.
contract QuotaManager is IQuotaManager, TransientGuard {
    using SafeTransferLib for address;

    /// @inheritdoc IQuotaManager
    address public immutable TOKEN;
    /// @inheritdoc IQuotaManager
    uint256 public immutable AMOUNT_PER_QUOTE;
    /// @inheritdoc IQuotaManager
    address public immutable TREASURY;
    /// @inheritdoc IQuotaManager
    address public immutable EXECUTOR;

    constructor(address token, uint256 amountPerQuote, address treasury, address executor) {
        if (
            token.code.length == 0 || amountPerQuote == 0 || treasury == address(0)
                || executor.code.length == 0
        ) revert InvalidConfiguration();
        TOKEN = token;
        AMOUNT_PER_QUOTE = amountPerQuote;
        TREASURY = treasury;
        EXECUTOR = executor;
    }

    /// @notice Accepts what the executor returns of a native purchase.
    receive() external payable {
        if (msg.sender != EXECUTOR) revert NotExecutor();
    }

    /// @inheritdoc IQuotaManager
    function buyWithUSDC(uint256 amount) external nonReentrant returns (uint256 quotes) {
        quotes = _quotesFor(amount);
        _pull(amount);
        emit QuotaPurchased(bytes32(0), msg.sender, quotes, amount, bytes32(0));
    }

    /// @inheritdoc IQuotaManager
    function buyWithToken(
        address tokenIn,
        uint256 amountIn,
        uint256 minUsdcOut,
        bytes calldata swapData
    ) external payable nonReentrant returns (uint256 quotes) {
        if (tokenIn == TOKEN) revert UsePaymentToken();
        (uint256 deadline, ISwapExecutor.Step[] memory steps) = _decode(swapData);
        uint256 held = TOKEN.balanceOf(address(this));
        uint256 amount = _swap(
            ISwapExecutor.SwapParameters({
                tokenIn: tokenIn,
                amountIn: _takeInput(tokenIn, amountIn),
                tokenOut: TOKEN,
                minAmountOut: minUsdcOut,
                recipient: address(this),
                deadline: deadline
            }),
            steps
        );
        _requirePaid(held, amount);
        quotes = _quotesFor(amount);
        _refund(tokenIn);
        for (uint256 i = 0; i < steps.length; ++i) {
            _refund(steps[i].tokenIn);
            _refund(steps[i].tokenOut);
        }
        emit QuotaPurchased(bytes32(0), msg.sender, quotes, amount, bytes32(0));
    }

    /// @inheritdoc IQuotaManager
    function buyFor(bytes32 keyId, uint256 quotes) external nonReentrant {
        _buyFor(keyId, quotes);
    }

    /// @inheritdoc IQuotaManager
    function buyForWithPermit(
        bytes32 keyId,
        uint256 quotes,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant {
        try IPaymentToken(TOKEN)
            .permit(msg.sender, address(this), _price(keyId, quotes), deadline, v, r, s) {}
            catch {}
        _buyFor(keyId, quotes);
    }

    /// @inheritdoc IQuotaManager
    function buyForWithAuthorization(
        bytes32 keyId,
        uint256 quotes,
        Authorization calldata authorization
    ) external nonReentrant {
        uint256 amount = _price(keyId, quotes);
        bytes32 nonce = authorizationNonce(keyId, authorization.salt);
        uint256 held = TOKEN.balanceOf(address(this));
        IPaymentToken(TOKEN)
            .receiveWithAuthorization(
                authorization.from,
                address(this),
                amount,
                authorization.validAfter,
                authorization.validBefore,
                nonce,
                authorization.signature
            );
        _requirePaid(held, amount);
        emit QuotaPurchased(keyId, authorization.from, quotes, amount, nonce);
    }

    /// @inheritdoc IQuotaManager
    function withdraw(address token) external nonReentrant returns (uint256 amount) {
        if (token == address(0)) {
            amount = address(this).balance;
            TREASURY.safeTransferETH(amount);
        } else {
            amount = token.balanceOf(address(this));
            token.safeTransfer(TREASURY, amount);
        }
        emit Withdrawn(token, amount);
    }

    /// @inheritdoc IQuotaManager
    function authorizationNonce(bytes32 keyId, bytes32 salt) public view returns (bytes32 nonce) {
        nonce = keccak256(abi.encode(block.chainid, address(this), keyId, salt));
    }

    function _buyFor(bytes32 keyId, uint256 quotes) private {
        uint256 amount = _price(keyId, quotes);
        _pull(amount);
        emit QuotaPurchased(keyId, msg.sender, quotes, amount, bytes32(0));
    }

    function _pull(uint256 amount) private {
        uint256 held = TOKEN.balanceOf(address(this));
        TOKEN.safeTransferFrom(msg.sender, address(this), amount);
        _requirePaid(held, amount);
    }

    /// @dev Returns what arrived: less than amountIn for a token with a transfer tax.
    function _takeInput(address tokenIn, uint256 amountIn) private returns (uint256 received) {
        if (msg.value != (tokenIn == address(0) ? amountIn : 0)) revert InvalidValue(msg.value);
        if (tokenIn == address(0)) return amountIn;
        uint256 held = tokenIn.balanceOf(address(this));
        tokenIn.safeTransferFrom(msg.sender, address(this), amountIn);
        received = tokenIn.balanceOf(address(this)) - held;
    }

    function _swap(ISwapExecutor.SwapParameters memory params, ISwapExecutor.Step[] memory steps)
        private
        returns (uint256 amountOut)
    {
        address tokenIn = params.tokenIn;
        if (tokenIn == address(0)) {
            return ISwapExecutor(EXECUTOR).swap{value: params.amountIn}(params, steps);
        }
        tokenIn.safeApproveWithRetry(EXECUTOR, params.amountIn);
        amountOut = ISwapExecutor(EXECUTOR).swap(params, steps);
        tokenIn.safeApprove(EXECUTOR, 0);
    }

    function _refund(address token) private {
        if (token == TOKEN) return;
        uint256 amount =
            token == address(0) ? address(this).balance : token.balanceOf(address(this));
        if (amount == 0) return;
        if (token == address(0)) msg.sender.safeTransferETH(amount);
        else token.safeTransfer(msg.sender, amount);
    }

    function _requirePaid(uint256 heldBefore, uint256 due) private view {
        uint256 received = TOKEN.balanceOf(address(this)) - heldBefore;
        if (received < due) revert Underpaid(received, due);
    }

    function _price(bytes32 keyId, uint256 quotes) private view returns (uint256) {
        if (keyId == bytes32(0)) revert ZeroKey();
        if (quotes == 0) revert AmountTooSmall(0);
        return quotes * AMOUNT_PER_QUOTE;
    }

    function _quotesFor(uint256 amount) private view returns (uint256 quotes) {
        quotes = amount / AMOUNT_PER_QUOTE;
        if (quotes == 0) revert AmountTooSmall(amount);
    }

    function _decode(bytes calldata swapData)
        private
        pure
        returns (uint256 deadline, ISwapExecutor.Step[] memory steps)
    {
        if (swapData.length < 4) revert InvalidSwapData();
        if (bytes4(swapData[:4]) != ISwapExecutor.swap.selector) revert InvalidSwapData();
        ISwapExecutor.SwapParameters memory params;
        (params, steps) =
            abi.decode(swapData[4:], (ISwapExecutor.SwapParameters, ISwapExecutor.Step[]));
        deadline = params.deadline;
    }
}
