// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Uniswap v4's pool manager
interface IPoolManager {
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    /// @notice Calls the caller back and checks afterwards that all debts are paid.
    function unlock(bytes calldata data) external returns (bytes memory);

    /// @notice Swaps; a negative amount is exact input. Upper 128 bits: change of currency0, lower: of
    /// currency1, as the caller sees it.
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta);

    /// @notice Notes the manager's balance of a currency before it is paid.
    function sync(address currency) external;

    /// @notice Credits what has come since `sync`, or the value.
    function settle() external payable returns (uint256 paid);

    /// @notice Sends the caller's credit.
    function take(address currency, address to, uint256 amount) external;
}

/// @title Balancer v3's vault
interface IBalancerV3Vault {
    enum SwapKind {
        ExactIn,
        ExactOut
    }

    struct VaultSwapParams {
        SwapKind kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 amountGivenRaw;
        uint256 limitRaw;
        bytes userData;
    }

    /// @notice Calls the caller back with `data` and checks afterwards that all debts are paid.
    function unlock(bytes calldata data) external returns (bytes memory);

    /// @notice Swaps on the caller's account.
    function swap(VaultSwapParams calldata params)
        external
        returns (uint256 amountCalculated, uint256 amountIn, uint256 amountOut);

    /// @notice Credits what has come of a token, at most `amountHint`.
    function settle(address token, uint256 amountHint) external returns (uint256 credit);

    /// @notice Sends the caller's credit.
    function sendTo(address token, address to, uint256 amount) external;
}
