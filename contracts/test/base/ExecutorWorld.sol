// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SwapExecutor} from "../../src/SwapExecutor.sol";
import {ISwapExecutor} from "../../src/interfaces/ISwapExecutor.sol";
import {StepKinds} from "../../src/swaps/StepKinds.sol";
import {V2Pair} from "../pools/V2Pair.sol";
import {CallbackStyle, V3Pool} from "../pools/V3Pool.sol";
import {TestToken} from "../tokens/TestToken.sol";
import {WrappedNative} from "../tokens/WrappedNative.sol";
import {Test} from "./Test.sol";

/// @notice An executor, wrapped native, three tokens, and pools between them.
abstract contract ExecutorWorld is Test {
    uint256 internal constant WHOLE = 1 << 64;
    address internal constant TAKER = address(0x7A4E5);
    address internal constant RECIPIENT = address(0x5EC);

    WrappedNative internal weth;
    SwapExecutor internal executor;
    TestToken internal tokenA;
    TestToken internal tokenB;
    TestToken internal tokenC;
    V2Pair internal pairAb;
    V2Pair internal pairBc;
    V2Pair internal pairWethA;
    V3Pool internal poolAb;
    V3Pool internal poolAc;

    function setUp() public virtual {
        weth = new WrappedNative();
        executor = new SwapExecutor(address(weth));
        tokenA = new TestToken();
        tokenB = new TestToken();
        tokenC = new TestToken();
        pairAb = _pair(tokenA, tokenB, 3000, 1e24, 2e24);
        pairBc = _pair(tokenB, tokenC, 2500, 1e24, 5e23);
        pairWethA = _pair(weth, tokenA, 3000, 1e24, 1e24);
        poolAb = _pool(tokenA, tokenB, 500, CallbackStyle.Uniswap);
        poolAc = _pool(tokenA, tokenC, 100, CallbackStyle.Algebra);
        tokenA.mint(TAKER, 1e30);
        vm.deal(TAKER, 1e24);
        vm.prank(TAKER);
        tokenA.approve(address(executor), type(uint256).max);
    }

    /// @dev Arguments are evaluated before the prank, which a view call among them would use up.
    function _swap(ISwapExecutor.SwapParameters memory params, ISwapExecutor.Step[] memory steps)
        internal
        returns (uint256)
    {
        vm.prank(TAKER);
        return executor.swap(params, steps);
    }

    function _expectRevert(
        bytes memory reason,
        ISwapExecutor.SwapParameters memory params,
        ISwapExecutor.Step[] memory steps
    ) internal {
        vm.prank(TAKER);
        vm.expectRevert(reason);
        executor.swap(params, steps);
    }

    function _pair(TestToken a, TestToken b, uint256 feePips, uint256 reserveA, uint256 reserveB)
        internal
        returns (V2Pair pair)
    {
        pair = new V2Pair(address(a), address(b), feePips);
        _fund(a, address(pair), reserveA);
        _fund(b, address(pair), reserveB);
        pair.sync();
    }

    function _pool(TestToken a, TestToken b, uint256 feePips, CallbackStyle style)
        internal
        returns (V3Pool pool)
    {
        pool = new V3Pool(address(a), address(b), feePips, style);
        _fund(a, address(pool), 1e24);
        _fund(b, address(pool), 1e24);
    }

    function _fund(TestToken token, address to, uint256 amount) internal {
        token.mint(to, amount);
        if (address(token) == address(weth)) {
            vm.deal(address(weth), address(weth).balance + amount);
        }
    }

    function _params(address tokenIn, uint256 amountIn, address tokenOut)
        internal
        view
        returns (ISwapExecutor.SwapParameters memory)
    {
        return ISwapExecutor.SwapParameters({
            tokenIn: tokenIn,
            amountIn: amountIn,
            tokenOut: tokenOut,
            minAmountOut: 0,
            recipient: RECIPIENT,
            deadline: block.timestamp
        });
    }

    function _v2Step(V2Pair pair, address tokenIn, uint256 share)
        internal
        view
        returns (ISwapExecutor.Step memory)
    {
        return ISwapExecutor.Step({
            kind: StepKinds.UNISWAP_V2,
            pool: address(pair),
            tokenIn: tokenIn,
            tokenOut: tokenIn == pair.token0() ? pair.token1() : pair.token0(),
            share: share,
            data: abi.encode(pair.FEE_PIPS())
        });
    }

    function _v3Step(V3Pool pool, address tokenIn, uint256 share)
        internal
        view
        returns (ISwapExecutor.Step memory)
    {
        return ISwapExecutor.Step({
            kind: StepKinds.UNISWAP_V3,
            pool: address(pool),
            tokenIn: tokenIn,
            tokenOut: tokenIn == pool.token0() ? pool.token1() : pool.token0(),
            share: share,
            data: ""
        });
    }

    function _route(ISwapExecutor.Step memory step)
        internal
        pure
        returns (ISwapExecutor.Step[] memory steps)
    {
        steps = new ISwapExecutor.Step[](1);
        steps[0] = step;
    }

    function _route(ISwapExecutor.Step memory first, ISwapExecutor.Step memory second)
        internal
        pure
        returns (ISwapExecutor.Step[] memory steps)
    {
        steps = new ISwapExecutor.Step[](2);
        (steps[0], steps[1]) = (first, second);
    }

    function _assertNothingHeld() internal view {
        vm.assertEq(tokenA.balanceOf(address(executor)), 0, "executor's A");
        vm.assertEq(tokenB.balanceOf(address(executor)), 0, "executor's B");
        vm.assertEq(tokenC.balanceOf(address(executor)), 0, "executor's C");
        vm.assertEq(weth.balanceOf(address(executor)), 0, "executor's WETH");
        vm.assertEq(address(executor).balance, 0, "executor's native");
    }
}
