// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IBalancerV2Vault} from "../../src/interfaces/IPools.sol";
import {TestToken} from "../tokens/TestToken.sol";
import {FixedPrice} from "./FixedPrice.sol";

/// @notice Curve with int128 indices; like the oldest pools it returns nothing. Zero is native.
contract CurveStablePool is FixedPrice {
    error TooLittle();
    error WrongValue();

    address[] public coins;

    constructor(address[] memory theCoins) {
        coins = theCoins;
    }

    function exchange(int128 i, int128 j, uint256 dx, uint256 minDy) external payable {
        _exchange(uint128(i), uint128(j), dx, minDy);
    }

    function _exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy)
        internal
        returns (uint256 dy)
    {
        if (msg.value != (coins[i] == address(0) ? dx : 0)) revert WrongValue();
        if (coins[i] != address(0)) {
            TestToken(coins[i]).transferFrom(msg.sender, address(this), dx);
        }
        dy = quote(dx);
        if (dy < minDy) revert TooLittle();
        _send(coins[j], msg.sender, dy);
    }
}

/// @notice Curve with uint256 indices.
contract CurveCryptoPool is CurveStablePool {
    constructor(address[] memory theCoins) CurveStablePool(theCoins) {}

    function exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy) external returns (uint256) {
        return _exchange(i, j, dx, minDy);
    }
}

/// @notice Balancer v2: one vault, pools by id.
contract BalancerV2Vault is FixedPrice {
    error UnknownPool();
    error NotTheSender();
    error TooLittle();
    error Late();

    mapping(bytes32 => bool) public pools;

    function register(bytes32 poolId) external {
        pools[poolId] = true;
    }

    function swap(
        IBalancerV2Vault.SingleSwap calldata singleSwap,
        IBalancerV2Vault.FundManagement calldata funds,
        uint256 limit,
        uint256 deadline
    ) external returns (uint256 amountOut) {
        if (!pools[singleSwap.poolId]) revert UnknownPool();
        if (funds.sender != msg.sender) revert NotTheSender();
        if (block.timestamp > deadline) revert Late();
        amountOut = quote(singleSwap.amount);
        if (amountOut < limit) revert TooLittle();
        TestToken(singleSwap.assetIn).transferFrom(funds.sender, address(this), singleSwap.amount);
        TestToken(singleSwap.assetOut).transfer(funds.recipient, amountOut);
    }
}

/// @notice Pays native currency out on Fluid's behalf, as its liquidity layer does.
contract FluidLiquidity is FixedPrice {
    receive() external payable {}

    function pay(address to, uint256 amount) external {
        _send(address(0), to, amount);
    }
}

/// @notice Fluid DEX; zero is native.
contract FluidPool is FixedPrice {
    error WrongValue();
    error TooLittle();

    address public immutable token0;
    address public immutable token1;
    FluidLiquidity public immutable LIQUIDITY;

    constructor(address a, address b, FluidLiquidity liquidity) {
        (token0, token1) = (a, b);
        LIQUIDITY = liquidity;
    }

    function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to)
        external
        payable
        returns (uint256 amountOut)
    {
        (address tokenIn, address tokenOut) = swap0to1 ? (token0, token1) : (token1, token0);
        if (msg.value != (tokenIn == address(0) ? amountIn : 0)) revert WrongValue();
        if (tokenIn != address(0)) {
            TestToken(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        }
        amountOut = quote(amountIn);
        if (amountOut < amountOutMin) revert TooLittle();
        if (tokenOut == address(0)) LIQUIDITY.pay(to, amountOut);
        else _send(tokenOut, to, amountOut);
    }
}
