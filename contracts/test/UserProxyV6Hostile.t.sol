// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TransientGuard} from "../src/base/TransientGuard.sol";
import {IUserProxyV6} from "../src/interfaces/IUserProxyV6.sol";
import {ProxyWorld} from "./base/ProxyWorld.sol";
import {BombRouter, ContractOwner, ReentrantRouter, Router} from "./base/Routers.sol";
import {
    FalseToken,
    HookToken,
    ITransferHook,
    RebasingToken,
    TaxToken,
    UsdtLikeToken
} from "./tokens/HostileTokens.sol";
import {TestToken} from "./tokens/TestToken.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @notice The proxy among reentrant and bombing routers, hostile tokens and refusing owners.
contract UserProxyV6HostileTest is ProxyWorld {
    // Reentrancy

    function test_execute_cannotBeReenteredByItsOwner() public {
        ContractOwner owner = new ContractOwner();
        IUserProxyV6 own = IUserProxyV6(factory.deploy(address(owner)));
        ReentrantRouter reentrant = new ReentrantRouter();
        IUserProxyV6.Swap memory inner = _swap(0, 0, 0);
        IUserProxyV6.Swap memory outer = _swap(0, 0, 0);
        outer.target = address(reentrant);
        outer.data = abi.encodeCall(
            ReentrantRouter.reenter,
            (address(owner), abi.encodeCall(ContractOwner.execute, (own, inner)))
        );
        owner.run(address(tokenIn), abi.encodeCall(TestToken.approve, (address(own), 1e18)), 0);
        vm.expectRevert(TransientGuard.Reentrancy.selector);
        owner.execute(own, outer);
    }

    function test_sweep_cannotRunDuringExecute() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 0, 0);
        swap.target = address(new ReentrantRouter());
        swap.data = abi.encodeCall(
            ReentrantRouter.reenter,
            (address(proxy), abi.encodeCall(IUserProxyV6.sweep, (address(tokenIn))))
        );
        vm.prank(OWNER);
        vm.expectRevert(TransientGuard.Reentrancy.selector);
        proxy.execute(swap);
    }

    function test_execute_canFollowExecuteInOneTransaction() public {
        vm.startPrank(OWNER);
        proxy.execute(_swap(1e18, 1e18, 1e18));
        proxy.execute(_swap(1e18, 1e18, 1e18));
        vm.stopPrank();
        vm.assertEq(tokenOut.balanceOf(OWNER), 2e18, "owner");
    }

    // Return bombs

    function test_execute_survivesAMegabyteOfReturnData() public {
        uint256 spent = _explode(1_000_000, true);
        // The bomb itself pays for its own megabyte of memory (2.2 million gas), the proxy for nothing.
        vm.assertLe(spent, 2_600_000, "gas");
    }

    function test_execute_cutsAMegabyteOfRevertReason() public {
        vm.assertLe(_explode(1_000_000, false), 2_600_000, "gas");
    }

    function test_execute_handsTheReasonOn() public {
        IUserProxyV6.Swap memory swap = _nativeOut(1000 ether);
        vm.prank(OWNER);
        vm.expectRevert(Router.NativeTransferFailed.selector);
        proxy.execute(swap);
    }

    function test_execute_namesARevertWithoutReason() public {
        IUserProxyV6.Swap memory swap = _swap(1e18, 0, 0);
        swap.target = address(new BombRouter());
        swap.data = abi.encodeCall(BombRouter.revertEmpty, ());
        vm.prank(OWNER);
        vm.expectRevert(IUserProxyV6.TargetReverted.selector);
        proxy.execute(swap);
    }

    // Hostile tokens

    function test_execute_takesTokensThatReturnNothing() public {
        UsdtLikeToken usdt = new UsdtLikeToken();
        usdt.mint(OWNER, 20e18);
        vm.startPrank(OWNER);
        usdt.approve(address(proxy), 20e18);
        proxy.execute(_swapOf(address(usdt), 10e18, 4e18, address(tokenOut), 1e18));
        proxy.execute(_swapOf(address(usdt), 10e18, 10e18, address(tokenOut), 1e18));
        vm.stopPrank();
        vm.assertEq(usdt.balanceOf(OWNER), 6e18, "change");
        _assertEmpty(address(usdt), address(tokenOut));
    }

    function test_execute_deliversTokensThatReturnNothing() public {
        UsdtLikeToken usdt = new UsdtLikeToken();
        usdt.mint(address(router), 20e18);
        vm.prank(OWNER);
        proxy.execute(_swapOf(address(tokenIn), 1e18, 1e18, address(usdt), 3e18));
        vm.assertEq(usdt.balanceOf(OWNER), 3e18, "owner");
    }

    function test_execute_revertsWhenATokenAnswersFalse() public {
        FalseToken lying = new FalseToken();
        lying.mint(OWNER, 1e18);
        lying.setFailing(true);
        vm.startPrank(OWNER);
        lying.approve(address(proxy), 1e18);
        vm.expectRevert(SafeTransferLib.TransferFromFailed.selector);
        proxy.execute(_swapOf(address(lying), 1e18, 1e18, address(tokenOut), 1e18));
        vm.stopPrank();
    }

    function test_execute_spendsWhatATaxLeaves() public {
        TaxToken taxed = new TaxToken(300);
        taxed.mint(OWNER, 100e18);
        vm.startPrank(OWNER);
        taxed.approve(address(proxy), 100e18);
        proxy.execute(_swapOf(address(taxed), 100e18, 97e18, address(tokenOut), 1e18));
        vm.stopPrank();
        _assertEmpty(address(taxed), address(tokenOut));
    }

    function test_execute_approvesOnlyWhatATaxLeaves() public {
        TaxToken taxed = new TaxToken(300);
        taxed.mint(OWNER, 100e18);
        taxed.mint(address(proxy), 10e18);
        vm.startPrank(OWNER);
        taxed.approve(address(proxy), 100e18);
        vm.expectRevert(bytes("pull failed"));
        proxy.execute(_swapOf(address(taxed), 100e18, 97e18 + 1, address(tokenOut), 1e18));
        vm.stopPrank();
    }

    function test_execute_measuresATaxedOutputAtTheOwner() public {
        TaxToken taxed = new TaxToken(1000);
        taxed.mint(address(router), 100e18);
        IUserProxyV6.Swap memory swap =
            _swapOf(address(tokenIn), 1e18, 1e18, address(taxed), 100e18);
        swap.minOut = 81e18;
        vm.startPrank(OWNER);
        vm.assertEq(proxy.execute(swap), 81e18, "taxed twice");
        taxed.mint(address(router), 100e18);
        swap.minOut = 81e18 + 1;
        vm.expectRevert(
            abi.encodeWithSelector(IUserProxyV6.InsufficientOutput.selector, 81e18, 81e18 + 1)
        );
        proxy.execute(swap);
        vm.stopPrank();
    }

    function test_execute_judgesATaxedOutputWithoutWhatTheProxyHeld() public {
        TaxToken taxed = new TaxToken(1000);
        taxed.mint(address(router), 100e18);
        taxed.mint(address(proxy), 1000e18);
        IUserProxyV6.Swap memory swap =
            _swapOf(address(tokenIn), 1e18, 1e18, address(taxed), 100e18);
        swap.minOut = 81e18;
        vm.prank(OWNER);
        vm.assertEq(proxy.execute(swap), 81e18, "neither the stray's worth nor its tax");
        vm.assertEq(taxed.balanceOf(OWNER), 981e18, "the stray is the owner's");
    }

    function test_fuzz_execute_emptiesRebasingTokens(uint256 index, uint256 amount) public {
        RebasingToken rebasing = new RebasingToken();
        rebasing.mint(OWNER, 1e24);
        rebasing.rebase(_bound(index, 1e17, 1e19));
        amount = _bound(amount, 1e6, 1e23);
        vm.startPrank(OWNER);
        rebasing.approve(address(proxy), amount);
        uint256 half = amount / 2;
        proxy.execute(_swapOf(address(rebasing), amount, half, address(tokenOut), 1e18));
        vm.stopPrank();
        // A last share may be worth less than a wei and stay; it never amounts to ten.
        vm.assertLe(rebasing.balanceOf(address(proxy)), 10, "proxy");
        vm.assertEq(rebasing.allowance(address(proxy), address(router)), 0, "allowance");
    }

    function test_execute_survivesTransferHooks() public {
        HookToken hooked = new HookToken();
        hooked.mint(OWNER, 1e18);
        SweepingListener listener = new SweepingListener(proxy, address(hooked));
        vm.prank(OWNER);
        hooked.approve(address(proxy), 1e18);
        hooked.setListener(listener);
        vm.prank(OWNER);
        proxy.execute(_swapOf(address(hooked), 1e18, 1e18, address(tokenOut), 2e18));
        vm.assertEq(listener.refusals(), listener.attempts(), "every reentry refused");
        vm.assertGe(listener.attempts(), 4, "the hook ran");
        vm.assertEq(tokenOut.balanceOf(OWNER), 2e18, "owner");
    }

    // An owner that refuses native currency

    function test_execute_cannotBeBlockedByAWeiSentToAnOwnerThatRefusesIt() public {
        (ContractOwner owner, IUserProxyV6 own) = _refusingOwner();
        vm.deal(address(own), 1);
        owner.execute(own, _swapFor(address(own), 1e18, 2e18));
        vm.assertEq(tokenOut.balanceOf(address(owner)), 2e18, "owner");
        vm.assertEq(address(own).balance, 1, "the stray wei waits");
        owner.setAccepting(true);
        vm.assertEq(own.sweep(address(0)), 1, "swept later");
    }

    function test_execute_revertsWhenTheOwnerRefusesItsOutput() public {
        (ContractOwner owner, IUserProxyV6 own) = _refusingOwner();
        IUserProxyV6.Swap memory swap = _nativeOut(1 ether);
        swap.data = abi.encodeCall(
            Router.trade, (address(tokenIn), 1e18, address(0), 1 ether, address(own))
        );
        vm.expectRevert(SafeTransferLib.ETHTransferFailed.selector);
        owner.execute(own, swap);
    }

    function _explode(uint256 size, bool success) private returns (uint256 spent) {
        IUserProxyV6.Swap memory swap = _swap(1e18, 0, 0);
        swap.target = address(new BombRouter());
        swap.data = abi.encodeCall(BombRouter.explode, (tokenOut, size, success));
        uint256 before = gasleft();
        vm.prank(OWNER);
        (bool done,) = address(proxy).call(abi.encodeCall(IUserProxyV6.execute, (swap)));
        spent = before - gasleft();
        vm.assertTrue(done == success, "outcome");
    }

    function _refusingOwner() private returns (ContractOwner owner, IUserProxyV6 own) {
        owner = new ContractOwner();
        own = IUserProxyV6(factory.deploy(address(owner)));
        tokenIn.mint(address(owner), 10e18);
        owner.run(address(tokenIn), abi.encodeCall(TestToken.approve, (address(own), 10e18)), 0);
    }
}

/// @notice Tries to sweep the proxy in every transfer hook.
contract SweepingListener is ITransferHook {
    IUserProxyV6 private immutable PROXY;
    address private immutable TOKEN;

    uint256 public attempts;
    uint256 public refusals;

    constructor(IUserProxyV6 proxy, address token) {
        PROXY = proxy;
        TOKEN = token;
    }

    function onTokenTransfer(address, address, uint256) external {
        ++attempts;
        try PROXY.sweep(TOKEN) {}
        catch {
            ++refusals;
        }
    }
}
