// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A constant-product pair
interface IPair {
    /// @notice Forks return more or other types behind the two reserves; only those are read.
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1);

    /// @notice Sends out what is asked for, once the input lies in the pair.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @title A Solidly pair, which knows its own price
interface ISolidlyPair {
    /// @notice Output for an input against the stored reserves, fee taken.
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

/// @title A Liquidity Book pair
interface ILiquidityBookPair {
    /// @notice Sells what lies in the pair beyond its reserves.
    function swap(bool swapForY, address to) external returns (bytes32 amountsOut);
}

/// @title A DODO v2 pool
interface IDodoPool {
    /// @notice Sells the base tokens that lie in the pool beyond its reserve.
    function sellBase(address to) external returns (uint256 received);

    /// @notice Sells the quote tokens that lie in the pool beyond its reserve.
    function sellQuote(address to) external returns (uint256 received);
}

/// @title A Trident pool
interface ITridentPool {
    /// @notice Sells what the BentoBox holds for the pool beyond its reserves.
    /// @param data abi.encode(address tokenIn, address recipient, bool unwrapBento)
    function swap(bytes calldata data) external returns (uint256 amountOut);
}

/// @title Sushi's BentoBox, which holds the tokens of its users as shares
interface IBentoBox {
    /// @notice Credits shares for tokens; those that lie in it uncounted when `from` is itself.
    function deposit(address token, address from, address to, uint256 amount, uint256 share)
        external
        payable
        returns (uint256 amountOut, uint256 shareOut);
}

/// @title WOOFi's pool
interface IWooPool {
    /// @notice Sells `fromAmount` that already lies in the pool.
    function swap(
        address fromToken,
        address toToken,
        uint256 fromAmount,
        uint256 minToAmount,
        address to,
        address rebateTo
    ) external returns (uint256 realToAmount);
}

/// @title A Curve pool with int128 indices
interface ICurveStablePool {
    /// @notice Pulls dx of coin i from the caller, or takes it as value when the coin is native; sends
    /// coin j. Old pools return nothing.
    function exchange(int128 i, int128 j, uint256 dx, uint256 minDy) external payable;
}

/// @title A Curve pool with uint256 indices
interface ICurveCryptoPool {
    /// @notice Pulls dx of coin i from the caller, sends coin j. Old pools return nothing.
    function exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy) external;
}

/// @title A Fluid DEX pool
interface IFluidPool {
    /// @notice Pulls the input from the caller, or takes it as value when the side is native.
    function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to)
        external
        payable
        returns (uint256 amountOut);
}

/// @title Balancer v2's vault
interface IBalancerV2Vault {
    enum SwapKind {
        GivenIn,
        GivenOut
    }

    struct SingleSwap {
        bytes32 poolId;
        SwapKind kind;
        address assetIn;
        address assetOut;
        uint256 amount;
        bytes userData;
    }

    struct FundManagement {
        address sender;
        bool fromInternalBalance;
        address recipient;
        bool toInternalBalance;
    }

    /// @notice Swaps through one pool, pulling the input from the sender.
    function swap(
        SingleSwap calldata singleSwap,
        FundManagement calldata funds,
        uint256 limit,
        uint256 deadline
    ) external payable returns (uint256 amountCalculated);
}

/// @title A Maverick v2 pool
interface IMaverickPool {
    struct SwapParams {
        uint256 amount;
        bool tokenAIn;
        bool exactOutput;
        int32 tickLimit;
    }

    /// @notice Swaps up to a tick; with data it asks for the input by callback.
    function swap(address recipient, SwapParams calldata params, bytes calldata data)
        external
        returns (uint256 amountIn, uint256 amountOut);
}

/// @title A concentrated-liquidity pool
interface IConcentratedPool {
    /// @notice Swaps an exact input (positive amount) up to a price limit, asking for it by callback.
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

/// @title The wrapped native token
interface IWrappedNative {
    /// @notice Wraps the call's value.
    function deposit() external payable;

    /// @notice Unwraps to the caller.
    function withdraw(uint256 amount) external;
}

/// @title A vault of ERC-4626: one asset, and shares of it that are its own token
interface IErc4626 {
    /// @notice Takes exactly `assets`, by allowance.
    function deposit(uint256 assets, address receiver) external returns (uint256 shares);

    /// @notice Burns exactly `shares` of `owner`, who needs no allowance where it calls itself.
    function redeem(uint256 shares, address receiver, address owner)
        external
        returns (uint256 assets);
}

/// @title Aave v3's pool, which holds all its markets
interface IAavePool {
    /// @notice Takes `amount` by allowance and mints aTokens for it.
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;

    /// @notice Burns aTokens of the caller, who needs no allowance.
    function withdraw(address asset, uint256 amount, address to)
        external
        returns (uint256 withdrawn);
}

/// @title Spark's PSM3: three tokens of the dollar, at par and at the savings rate
interface IPsm3 {
    function swapExactIn(
        address assetIn,
        address assetOut,
        uint256 amountIn,
        uint256 minAmountOut,
        address receiver,
        uint256 referralCode
    ) external returns (uint256 amountOut);
}
