// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {ExecutorWorld} from "./base/ExecutorWorld.sol";
import {V2Pair} from "./pools/V2Pair.sol";
import {CallbackStyle, V3Pool} from "./pools/V3Pool.sol";

contract SwapExecutorTest is ExecutorWorld {
    // One pool

    function test_fuzz_swap_throughAPairGivesItsQuote(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1, 1e27);
        uint256 quoted = pairAb.quote(address(tokenA), amountIn);
        uint256 amountOut = _swap(
            _params(address(tokenA), amountIn, address(tokenB)),
            _route(_v2Step(pairAb, address(tokenA), WHOLE))
        );
        vm.assertEq(amountOut, quoted, "amountOut");
        vm.assertEq(tokenB.balanceOf(RECIPIENT), quoted, "recipient");
        _assertNothingHeld();
    }

    function test_fuzz_swap_throughAConcentratedPoolGivesItsQuote(uint256 amountIn, uint8 style)
        public
    {
        amountIn = _bound(amountIn, 1, 1e23);
        V3Pool pool = _pool(tokenA, tokenB, 3000, CallbackStyle(style % 4));
        uint256 amountOut = _swap(
            _params(address(tokenA), amountIn, address(tokenB)),
            _route(_v3Step(pool, address(tokenA), WHOLE))
        );
        vm.assertEq(amountOut, pool.quote(amountIn), "amountOut");
        _assertNothingHeld();
    }

    function test_fuzz_swap_returnsWhatAPoolCannotTake(uint256 amountIn, uint256 capacity) public {
        amountIn = _bound(amountIn, 1, 1e23);
        capacity = _bound(capacity, 0, amountIn);
        poolAb.setCapacity(capacity);
        uint256 amountOut = _swap(
            _params(address(tokenA), amountIn, address(tokenB)),
            _route(_v3Step(poolAb, address(tokenA), WHOLE))
        );
        vm.assertEq(amountOut, poolAb.quote(capacity), "amountOut");
        vm.assertEq(tokenA.balanceOf(RECIPIENT), amountIn - capacity, "change");
        _assertNothingHeld();
    }

    // Several pools

    function test_fuzz_swap_splitsAndChains(uint256 amountIn, uint256 share) public {
        amountIn = _bound(amountIn, 1e6, 1e22);
        share = _bound(share, WHOLE / 1000, WHOLE - WHOLE / 1000);
        ISwapExecutor.Step[] memory steps = new ISwapExecutor.Step[](4);
        steps[0] = _v2Step(pairAb, address(tokenA), share);
        steps[1] = _v3Step(poolAb, address(tokenA), WHOLE / 2);
        steps[2] = _v3Step(poolAc, address(tokenA), WHOLE);
        steps[3] = _v2Step(pairBc, address(tokenB), WHOLE);

        uint256 first = (amountIn * share) >> 64;
        uint256 second = (amountIn - first) / 2;
        uint256 expectedB = pairAb.quote(address(tokenA), first) + poolAb.quote(second);
        uint256 expected =
            pairBc.quote(address(tokenB), expectedB) + poolAc.quote(amountIn - first - second);

        uint256 amountOut = _swap(_params(address(tokenA), amountIn, address(tokenC)), steps);
        vm.assertEq(amountOut, expected, "amountOut");
        _assertNothingHeld();
    }

    function test_swap_throughOnePoolTwiceSeesItsNewState() public {
        uint256 inTwo = _swap(
            _params(address(tokenA), 1e23, address(tokenB)),
            _route(
                _v2Step(pairAb, address(tokenA), WHOLE / 2), _v2Step(pairAb, address(tokenA), WHOLE)
            )
        );
        V2Pair same = _pair(tokenA, tokenB, 3000, 1e24, 2e24);
        vm.assertLe(inTwo, same.quote(address(tokenA), 1e23), "no better than at once");
        vm.assertGe(inTwo, same.quote(address(tokenA), 1e23) * 999 / 1000, "nor much worse");
    }

    function test_swap_returnsIntermediateTokensAPoolCannotTake() public {
        V3Pool small = _pool(tokenB, tokenC, 0, CallbackStyle.Uniswap);
        small.setCapacity(1e18);
        uint256 amountOut = _swap(
            _params(address(tokenA), 5e18, address(tokenC)),
            _route(_v3Step(poolAb, address(tokenA), WHOLE), _v3Step(small, address(tokenB), WHOLE))
        );
        vm.assertEq(amountOut, 1e18, "amountOut");
        vm.assertEq(tokenB.balanceOf(RECIPIENT), poolAb.quote(5e18) - 1e18, "left between");
        _assertNothingHeld();
    }

    function test_swap_returnsTokensNoStepSpends() public {
        uint256 amountOut = _swap(
            _params(address(tokenA), 4e18, address(tokenC)),
            _route(
                _v3Step(poolAb, address(tokenA), WHOLE / 2), _v3Step(poolAc, address(tokenA), WHOLE)
            )
        );
        vm.assertEq(amountOut, poolAc.quote(2e18), "amountOut");
        vm.assertEq(tokenB.balanceOf(RECIPIENT), poolAb.quote(2e18), "bought and not sold on");
        _assertNothingHeld();
    }

    function test_swap_passesOverAStepWithNothingToSpend() public {
        uint256 amountOut = _swap(
            _params(address(tokenA), 1e18, address(tokenB)),
            _route(_v3Step(poolAb, address(tokenA), WHOLE), _v2Step(pairAb, address(tokenA), WHOLE))
        );
        vm.assertEq(amountOut, poolAb.quote(1e18), "amountOut");
    }

    // Native currency

    function test_swap_wrapsNativeInput() public {
        vm.prank(TAKER);
        uint256 amountOut = executor.swap{value: 1 ether}(
            _params(address(0), 1 ether, address(tokenA)),
            _route(_v2Step(pairWethA, address(weth), WHOLE))
        );
        vm.assertEq(tokenA.balanceOf(RECIPIENT), amountOut, "recipient");
        vm.assertGe(amountOut, 0.99 ether, "amountOut");
        _assertNothingHeld();
    }

    function test_swap_unwrapsNativeOutput() public {
        uint256 quoted = pairWethA.quote(address(tokenA), 1e18);
        uint256 amountOut = _swap(
            _params(address(tokenA), 1e18, address(0)),
            _route(_v2Step(pairWethA, address(tokenA), WHOLE))
        );
        vm.assertEq(amountOut, quoted, "amountOut");
        vm.assertEq(RECIPIENT.balance, quoted, "recipient");
        _assertNothingHeld();
    }

    function test_swap_returnsUnspentNativeInputNative() public {
        V3Pool small = _pool(weth, tokenB, 0, CallbackStyle.Uniswap);
        small.setCapacity(0.4 ether);
        vm.prank(TAKER);
        executor.swap{value: 1 ether}(
            _params(address(0), 1 ether, address(tokenB)),
            _route(_v3Step(small, address(weth), WHOLE))
        );
        vm.assertEq(RECIPIENT.balance, 0.6 ether, "change");
        _assertNothingHeld();
    }

    function test_swap_wrapsAndUnwrapsWithoutSteps() public {
        ISwapExecutor.Step[] memory none = new ISwapExecutor.Step[](0);
        vm.startPrank(TAKER);
        ISwapExecutor.SwapParameters memory params = _params(address(0), 1 ether, address(weth));
        params.recipient = TAKER;
        vm.assertEq(executor.swap{value: 1 ether}(params, none), 1 ether, "wrapped");
        weth.approve(address(executor), 1 ether);
        params = _params(address(weth), 1 ether, address(0));
        vm.assertEq(executor.swap(params, none), 1 ether, "unwrapped");
        vm.stopPrank();
        vm.assertEq(RECIPIENT.balance, 1 ether, "recipient");
        _assertNothingHeld();
    }

    function test_swap_revertsForTheWrongValue() public {
        vm.startPrank(TAKER);
        vm.expectRevert(abi.encodeWithSelector(ISwapExecutor.InvalidValue.selector, 1));
        executor.swap{value: 1}(
            _params(address(tokenA), 1, address(tokenB)), new ISwapExecutor.Step[](0)
        );
        vm.expectRevert(abi.encodeWithSelector(ISwapExecutor.InvalidValue.selector, 1));
        executor.swap{value: 1}(
            _params(address(0), 2, address(tokenB)), new ISwapExecutor.Step[](0)
        );
        vm.stopPrank();
    }

    function test_receive_refusesStrangers() public {
        vm.prank(TAKER);
        (bool success,) = address(executor).call{value: 1}("");
        vm.assertTrue(!success, "refused");
    }

    // Parameters

    function test_swap_sendsToTheCallerByDefault() public {
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1e18, address(tokenB));
        params.recipient = address(0);
        _swap(params, _route(_v3Step(poolAb, address(tokenA), WHOLE)));
        vm.assertEq(tokenB.balanceOf(TAKER), poolAb.quote(1e18), "taker");
    }

    function test_swap_revertsBelowTheMinimum() public {
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1e18, address(tokenB));
        uint256 quoted = poolAb.quote(1e18);
        params.minAmountOut = quoted + 1;
        _expectRevert(
            abi.encodeWithSelector(ISwapExecutor.InsufficientOutput.selector, quoted, quoted + 1),
            params,
            _route(_v3Step(poolAb, address(tokenA), WHOLE))
        );
    }

    function test_swap_revertsAfterTheDeadline() public {
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1, address(tokenB));
        vm.warp(block.timestamp + 1);
        _expectRevert(
            abi.encodeWithSelector(ISwapExecutor.Expired.selector, params.deadline),
            params,
            new ISwapExecutor.Step[](0)
        );
    }

    function test_swap_revertsForNonsense() public {
        ISwapExecutor.Step memory step = _v3Step(poolAb, address(tokenA), WHOLE);
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1, address(tokenA));
        vm.startPrank(TAKER);
        vm.expectRevert(ISwapExecutor.IdenticalTokens.selector);
        executor.swap(params, _route(step));

        params = _params(address(tokenA), 1, address(tokenB));
        params.recipient = address(executor);
        vm.expectRevert(ISwapExecutor.InvalidRecipient.selector);
        executor.swap(params, _route(step));

        params.recipient = RECIPIENT;
        step.share = WHOLE + 1;
        vm.expectRevert(abi.encodeWithSelector(ISwapExecutor.InvalidShare.selector, WHOLE + 1));
        executor.swap(params, _route(step));

        step.share = WHOLE;
        step.kind = 255;
        vm.expectRevert(abi.encodeWithSelector(ISwapExecutor.UnknownKind.selector, 255));
        executor.swap(params, _route(step));
        vm.stopPrank();
    }
}
