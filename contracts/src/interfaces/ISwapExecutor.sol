// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Executor of split and multi-hop swaps
/// @notice Takes tokenIn from the caller, runs steps in order, delivers tokenOut to the recipient.
/// No owner, no admin, no allowance but the caller's own is ever spent, and nothing stays behind.
/// The native currency is the zero address in `SwapParameters`; in steps it is the wrapped native token.
interface ISwapExecutor {
    /// @param tokenIn Token pulled from the caller, or zero: the call's value, wrapped.
    /// @param amountIn Raw amount; for native input exactly the call's value.
    /// @param tokenOut Token to deliver, or zero: wrapped native is unwrapped first.
    /// @param minAmountOut Least amount the recipient must receive.
    /// @param recipient Receiver of tokenOut and of all leftovers; zero means the caller.
    /// @param deadline Last second at which the swap may run.
    struct SwapParameters {
        address tokenIn;
        uint256 amountIn;
        address tokenOut;
        uint256 minAmountOut;
        address recipient;
        uint256 deadline;
    }

    /// @param kind The pool's family, a constant of `StepKinds`.
    /// @param pool Contract the step calls: a pool, or the family's vault or manager.
    /// @param tokenIn Token the step spends.
    /// @param tokenOut Token the step receives.
    /// @param share Part of the executor's current balance of tokenIn, of 2^64, rounded down.
    /// 2^64 is everything left.
    /// @param data What the family needs besides, as `StepKinds` says.
    struct Step {
        uint8 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 share;
        bytes data;
    }

    /// @notice Thrown when the deadline has passed.
    error Expired(uint256 deadline);

    /// @notice Thrown when tokenIn equals tokenOut.
    error IdenticalTokens();

    /// @notice Thrown when the recipient is the executor.
    error InvalidRecipient();

    /// @notice Thrown when the call's value is not amountIn (native input) or not zero (token input).
    error InvalidValue(uint256 value);

    /// @notice Thrown when a share is over 2^64.
    error InvalidShare(uint256 share);

    /// @notice Thrown when a step's kind is none of `StepKinds`.
    error UnknownKind(uint8 kind);

    /// @notice Thrown when the recipient would get less than minAmountOut.
    error InsufficientOutput(uint256 amountOut, uint256 minAmountOut);

    /// @notice Thrown when a callback comes from another contract than the pool just called, comes a
    /// second time, or outside a swap.
    error UnexpectedCallback(address caller);

    /// @notice Thrown when a pool asks for more than its step may spend.
    error ExcessiveInput(uint256 amount, uint256 allowed);

    /// @notice Swaps, and sends the recipient the output and whatever is left of any token of the steps.
    /// @return amountOut Growth of the recipient's tokenOut balance, at least minAmountOut.
    function swap(SwapParameters calldata params, Step[] calldata steps)
        external
        payable
        returns (uint256 amountOut);

    /// @notice `swap`, with an EIP-2612 permit of the caller's for exactly amountIn of tokenIn before it.
    /// A permit that fails counts for nothing: somebody else may have sent it ahead, so the allowance judges.
    /// @param permitDeadline Last second at which the permit may be used.
    function swapWithPermit(
        SwapParameters calldata params,
        Step[] calldata steps,
        uint256 permitDeadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external returns (uint256 amountOut);

    /// @notice The chain's wrapped native token.
    function WRAPPED_NATIVE() external view returns (address);
}
