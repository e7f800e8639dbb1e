// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IUserProxyV6} from "../src/interfaces/IUserProxyV6.sol";
import {ProxyWorld} from "./base/ProxyWorld.sol";
import {Router} from "./base/Routers.sol";

contract UserProxyV6Test is ProxyWorld {
    // Who may do what

    function test_execute_revertsForStrangers() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 0);
        vm.prank(STRANGER);
        vm.expectRevert(IUserProxyV6.NotOwner.selector);
        proxy.execute(swap);
    }

    function test_fuzz_execute_revertsForAnyoneButTheOwner(address caller) public {
        vm.assume(caller != OWNER);
        vm.prank(caller);
        vm.expectRevert(IUserProxyV6.NotOwner.selector);
        proxy.execute(_swap(1, 1, 0));
    }

    function test_owner_isTheOneOfTheFactory() public view {
        vm.assertEq(proxy.owner(), OWNER, "owner");
    }

    function test_implementation_isInert() public {
        vm.expectRevert(IUserProxyV6.NotClone.selector);
        implementation.owner();
        vm.expectRevert(IUserProxyV6.NotClone.selector);
        implementation.sweep(address(tokenIn));
        vm.expectRevert(IUserProxyV6.NotClone.selector);
        implementation.execute(_swap(1, 1, 0));
        (bool success,) = address(implementation).call{value: 0}("");
        vm.assertTrue(!success, "takes native currency");
    }

    // A plain swap

    function test_execute_deliversAndLeavesNothing() public {
        vm.prank(OWNER);
        uint256 amountOut = proxy.execute(_swap(5e18, 5e18, 7e18));
        vm.assertEq(amountOut, 7e18, "amountOut");
        vm.assertEq(tokenOut.balanceOf(OWNER), 7e18, "owner");
        _assertEmpty(address(tokenIn), address(tokenOut));
    }

    function test_fuzz_execute_returnsWhatTheRouterLeaves(
        uint256 amountIn,
        uint256 taken,
        uint256 paid
    ) public {
        amountIn = _bound(amountIn, 0, 1e30);
        taken = _bound(taken, 0, amountIn);
        paid = _bound(paid, 1, 1e30);
        vm.prank(OWNER);
        uint256 amountOut = proxy.execute(_swap(amountIn, taken, paid));
        vm.assertEq(amountOut, paid, "amountOut");
        vm.assertEq(tokenIn.balanceOf(OWNER), 1e30 - taken, "change");
        _assertEmpty(address(tokenIn), address(tokenOut));
    }

    function test_execute_countsWhatTheRouterPaysTheOwnerDirectly() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 3e18);
        swap.data =
            abi.encodeCall(Router.trade, (address(tokenIn), 1e18, address(tokenOut), 3e18, OWNER));
        swap.minOut = 3e18;
        vm.prank(OWNER);
        vm.assertEq(proxy.execute(swap), 3e18, "amountOut");
    }

    function test_execute_ignoresWhatTheOwnerAlreadyHas() public {
        tokenOut.mint(OWNER, 50e18);
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 3e18);
        swap.minOut = 3e18 + 1;
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IUserProxyV6.InsufficientOutput.selector, 3e18, 3e18 + 1)
        );
        proxy.execute(swap);
    }

    function test_execute_revertsWhenTheRouterPaysSomebodyElse() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 3e18);
        swap.data = abi.encodeCall(
            Router.trade, (address(tokenIn), 1e18, address(tokenOut), 3e18, STRANGER)
        );
        swap.minOut = 1;
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IUserProxyV6.InsufficientOutput.selector, 0, 1));
        proxy.execute(swap);
    }

    function test_execute_countsOnlyWhatCame() public {
        tokenOut.mint(address(proxy), 50e18);
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 3e18);
        swap.minOut = 3e18 + 1;
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IUserProxyV6.InsufficientOutput.selector, 3e18, 3e18 + 1)
        );
        proxy.execute(swap);
        swap.minOut = 3e18;
        vm.prank(OWNER);
        vm.assertEq(proxy.execute(swap), 3e18, "amountOut");
        vm.assertEq(tokenOut.balanceOf(OWNER), 53e18, "the stray is the owner's");
        _assertEmpty(address(tokenIn), address(tokenOut));
    }

    function test_execute_takesNoInput() public {
        vm.prank(OWNER);
        vm.assertEq(proxy.execute(_swap(0, 0, 1)), 1, "amountOut");
    }

    // Refusals before anything moves

    function test_execute_revertsAfterTheDeadline() public {
        IUserProxyV6.Swap memory swap = _swap(1, 1, 1);
        swap.deadline = block.timestamp - 1;
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IUserProxyV6.Expired.selector, block.timestamp - 1));
        proxy.execute(swap);
    }

    function test_execute_revertsWithoutABound() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 1e18);
        swap.minOut = 0;
        vm.prank(OWNER);
        vm.expectRevert(IUserProxyV6.ZeroMinOut.selector);
        proxy.execute(swap);
    }

    function test_execute_revertsForIdenticalTokens() public {
        IUserProxyV6.Swap memory swap = _swap(1, 1, 1);
        swap.tokenOut = swap.tokenIn;
        vm.prank(OWNER);
        vm.expectRevert(IUserProxyV6.IdenticalTokens.selector);
        proxy.execute(swap);
    }

    function test_execute_revertsForForbiddenTargets() public {
        address[4] memory targets =
            [address(tokenIn), address(tokenOut), address(proxy), address(0x1234)];
        for (uint256 i = 0; i < targets.length; ++i) {
            IUserProxyV6.Swap memory swap = _swap(1, 1, 1);
            swap.target = targets[i];
            vm.prank(OWNER);
            vm.expectRevert(abi.encodeWithSelector(IUserProxyV6.InvalidTarget.selector, targets[i]));
            proxy.execute(swap);
        }
    }

    // Native currency

    function test_execute_spendsNativeCurrency() public {
        IUserProxyV6.Swap memory swap = _swap(1 ether, 0, 4e18);
        swap.tokenIn = address(0);
        swap.data =
            abi.encodeCall(Router.trade, (address(0), 0, address(tokenOut), 4e18, address(proxy)));
        vm.prank(OWNER);
        vm.assertEq(proxy.execute{value: 1 ether}(swap), 4e18, "amountOut");
        vm.assertEq(address(proxy).balance, 0, "proxy");
    }

    function test_execute_revertsWhenTheValueFallsShort() public {
        IUserProxyV6.Swap memory swap = _swap(1 ether, 0, 4e18);
        swap.tokenIn = address(0);
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IUserProxyV6.InsufficientValue.selector, 1 ether - 1, 1 ether)
        );
        proxy.execute{value: 1 ether - 1}(swap);
    }

    function test_execute_deliversNativeCurrency() public {
        uint256 before = OWNER.balance;
        vm.prank(OWNER);
        vm.assertEq(proxy.execute(_nativeOut(2 ether)), 2 ether, "amountOut");
        vm.assertEq(OWNER.balance, before + 2 ether, "owner");
        vm.assertEq(address(proxy).balance, 0, "proxy");
    }

    function test_execute_countsNeitherStrayNorOwnNativeCurrency() public {
        vm.deal(address(proxy), 5 ether);
        IUserProxyV6.Swap memory swap = _nativeOut(2 ether);
        swap.minOut = 1 ether + 1;
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IUserProxyV6.InsufficientOutput.selector, 1 ether, 1 ether + 1)
        );
        proxy.execute{value: 1 ether}(swap);
        swap.minOut = 1 ether;
        uint256 before = OWNER.balance;
        vm.prank(OWNER);
        vm.assertEq(proxy.execute{value: 1 ether}(swap), 1 ether, "output less what was brought");
        vm.assertEq(OWNER.balance, before + 6 ether, "the stray is the owner's");
    }

    function test_execute_handsARouterFeeOnAndReturnsItsChange() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 1e18);
        swap.data = abi.encodeCall(
            Router.tradeWithRefund, (address(tokenIn), 1e18, address(tokenOut), 0.3 ether)
        );
        uint256 before = OWNER.balance;
        vm.prank(OWNER);
        proxy.execute{value: 1 ether}(swap);
        vm.assertEq(OWNER.balance, before - 0.7 ether, "owner");
        vm.assertEq(address(proxy).balance, 0, "proxy");
    }

    // Allowances

    function test_execute_resetsAnAllowanceNotUsedUp() public {
        vm.prank(OWNER);
        proxy.execute(_swap(10e18, 1e18, 1e18));
        vm.assertEq(tokenIn.allowance(address(proxy), address(router)), 0, "allowance");
    }

    function test_execute_revertsWhenTheRouterWantsMoreThanWasPulled() public {
        tokenIn.mint(address(proxy), 10e18);
        vm.prank(OWNER);
        vm.expectRevert(bytes("pull failed"));
        proxy.execute(_swap(1e18, 1e18 + 1, 1e18));
    }

    function test_execute_approvesTheSpenderAndNotTheTarget() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 1e18, 1e18);
        swap.spender = address(0x5BE0);
        vm.prank(OWNER);
        vm.expectRevert(bytes("pull failed"));
        proxy.execute(swap);
    }

    // Sweeping

    function test_sweep_sendsToTheOwnerWhoeverCalls() public {
        tokenOut.mint(address(proxy), 5);
        vm.deal(address(proxy), 6);
        uint256 before = OWNER.balance;
        vm.startPrank(STRANGER);
        vm.assertEq(proxy.sweep(address(tokenOut)), 5, "token");
        vm.assertEq(proxy.sweep(address(0)), 6, "native");
        vm.stopPrank();
        vm.assertEq(tokenOut.balanceOf(OWNER), 5, "owner");
        vm.assertEq(OWNER.balance, before + 6, "owner's native");
    }
}
