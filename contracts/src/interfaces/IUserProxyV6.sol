// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A user's execution proxy
/// @notice Belongs to one owner for ever, holds nothing between calls, leaves no allowance behind.
/// The native currency is the zero address.
interface IUserProxyV6 {
    /// @param tokenIn Token pulled from the owner, or zero: the call's own value is spent.
    /// @param amountIn Raw amount of tokenIn.
    /// @param tokenOut Token the owner must end up with.
    /// @param minOut Least growth of the owner's tokenOut balance, above zero. What lay in the proxy
    /// before, and native currency that the call itself brings, does not count.
    /// @param spender Contract allowed to take exactly what was pulled; unused for native input.
    /// @param target Contract called with `data` and with the call's whole value.
    /// @param data Calldata for the target.
    /// @param deadline Last second at which the swap may run.
    struct Swap {
        address tokenIn;
        uint256 amountIn;
        address tokenOut;
        uint256 minOut;
        address spender;
        address target;
        bytes data;
        uint256 deadline;
    }

    /// @notice Thrown when the caller is not the owner.
    error NotOwner();

    /// @notice Thrown when the implementation itself is called.
    error NotClone();

    /// @notice Thrown when the deadline has passed.
    error Expired(uint256 deadline);

    /// @notice Thrown when tokenIn equals tokenOut.
    error IdenticalTokens();

    /// @notice Thrown when minOut is zero: a swap without a bound may bring nothing.
    error ZeroMinOut();

    /// @notice Thrown when the target has no code, or is the proxy, tokenIn or tokenOut.
    error InvalidTarget(address target);

    /// @notice Thrown when native input is asked for and the call carries less.
    error InsufficientValue(uint256 value, uint256 amountIn);

    /// @notice Thrown when the owner's balance of tokenOut grew by less than minOut.
    error InsufficientOutput(uint256 amountOut, uint256 minOut);

    /// @notice Thrown when the target reverts without a reason.
    error TargetReverted();

    /// @notice The account this proxy belongs to.
    function owner() external view returns (address);

    /// @notice Pulls tokenIn from the owner, lets the spender take exactly that, calls the target, takes
    /// the allowance back, and sends everything to the owner. Only the owner may call.
    /// @dev ERC-20 input may carry value too: it is handed to the target (a router's native fee).
    /// @return amountOut Growth of the owner's tokenOut balance, at least minOut.
    function execute(Swap calldata swap) external payable returns (uint256 amountOut);

    /// @notice Sends the proxy's whole balance of a token (zero: native) to the owner. Anyone may call.
    /// @return amount What was sent.
    function sweep(address token) external returns (uint256 amount);
}
