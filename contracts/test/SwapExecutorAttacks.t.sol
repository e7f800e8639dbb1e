// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TransientGuard} from "../src/base/TransientGuard.sol";
import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {EvilPool} from "./base/Attackers.sol";
import {ExecutorWorld} from "./base/ExecutorWorld.sol";
import {V2Pair} from "./pools/V2Pair.sol";
import {ISwapCallbacks} from "./pools/V3Pool.sol";
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

/// @notice The executor among hostile tokens, pools and callers.
contract SwapExecutorAttacksTest is ExecutorWorld {
    address internal constant VICTIM = address(0x71C);

    // Hostile tokens

    function test_fuzz_swap_takesTaxedTokens(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1e6, 1e22);
        TaxToken taxed = new TaxToken(500);
        V2Pair pair = new V2Pair(address(taxed), address(tokenB), 3000);
        taxed.mint(address(pair), 1e24);
        tokenB.mint(address(pair), 1e24);
        pair.sync();
        taxed.mint(TAKER, amountIn);
        vm.startPrank(TAKER);
        taxed.approve(address(executor), amountIn);
        uint256 arrived = amountIn - amountIn * 500 / 10_000;
        arrived -= arrived * 500 / 10_000;
        uint256 quoted = pair.quote(address(taxed), arrived);
        uint256 amountOut = executor.swap(
            _params(address(taxed), amountIn, address(tokenB)),
            _route(_v2Step(pair, address(taxed), WHOLE))
        );
        vm.stopPrank();
        vm.assertEq(amountOut, quoted, "amountOut");
        vm.assertEq(taxed.balanceOf(address(executor)), 0, "executor");
    }

    function test_swap_countsATaxedOutputAfterTheTax() public {
        TaxToken taxed = new TaxToken(1000);
        V2Pair pair = new V2Pair(address(taxed), address(tokenA), 3000);
        taxed.mint(address(pair), 1e24);
        tokenA.mint(address(pair), 1e24);
        pair.sync();
        uint256 gross = pair.quote(address(tokenA), 1e18);
        uint256 held = gross - gross * 1000 / 10_000;
        uint256 net = held - held * 1000 / 10_000;
        uint256 amountOut = _swap(
            _params(address(tokenA), 1e18, address(taxed)),
            _route(_v2Step(pair, address(tokenA), WHOLE))
        );
        vm.assertEq(amountOut, net, "amountOut");
        vm.assertEq(taxed.balanceOf(RECIPIENT), net, "recipient");
    }

    function test_swap_takesTokensThatReturnNothing() public {
        UsdtLikeToken usdt = new UsdtLikeToken();
        usdt.mint(TAKER, 1e18);
        V3PoolOfAnything pool = new V3PoolOfAnything(address(usdt), address(tokenB));
        tokenB.mint(address(pool), 1e24);
        vm.startPrank(TAKER);
        usdt.approve(address(executor), 1e18);
        ISwapExecutor.Step memory step = _v3Step(poolAb, address(tokenA), WHOLE);
        (step.pool, step.tokenIn, step.tokenOut) = (address(pool), address(usdt), address(tokenB));
        vm.assertEq(
            executor.swap(_params(address(usdt), 1e18, address(tokenB)), _route(step)),
            1e18,
            "amountOut"
        );
        vm.stopPrank();
    }

    function test_swap_revertsWhenATokenAnswersFalse() public {
        FalseToken lying = new FalseToken();
        lying.mint(TAKER, 1e18);
        lying.setFailing(true);
        vm.startPrank(TAKER);
        lying.approve(address(executor), 1e18);
        vm.expectRevert(SafeTransferLib.TransferFromFailed.selector);
        executor.swap(_params(address(lying), 1e18, address(tokenB)), new ISwapExecutor.Step[](0));
        vm.stopPrank();
    }

    function test_swap_cannotBeReenteredByATransferHook() public {
        HookToken hooked = new HookToken();
        V2Pair pair = _pair(hooked, tokenB, 3000, 1e24, 1e24);
        hooked.mint(TAKER, 1e18);
        vm.prank(TAKER);
        hooked.approve(address(executor), 1e18);
        SwappingListener listener = new SwappingListener(executor, tokenA);
        tokenA.mint(address(listener), 1e18);
        hooked.setListener(listener);
        uint256 quoted = pair.quote(address(hooked), 1e18);
        uint256 amountOut = _swap(
            _params(address(hooked), 1e18, address(tokenB)),
            _route(_v2Step(pair, address(hooked), WHOLE))
        );
        vm.assertEq(amountOut, quoted, "amountOut");
        vm.assertGe(listener.attempts(), 4, "the hook ran");
        vm.assertEq(listener.refusals(), listener.attempts(), "every reentry refused");
    }

    function test_fuzz_swap_takesRebasingTokens(uint256 index, uint256 amountIn) public {
        RebasingToken rebasing = new RebasingToken();
        rebasing.rebase(_bound(index, 1e17, 1e19));
        amountIn = _bound(amountIn, 1e6, 1e22);
        V2Pair pair = _pair(rebasing, tokenB, 3000, 1e24, 1e24);
        rebasing.mint(TAKER, amountIn + 100);
        vm.prank(TAKER);
        rebasing.approve(address(executor), amountIn);
        uint256 amountOut = _swap(
            _params(address(rebasing), amountIn, address(tokenB)),
            _route(_v2Step(pair, address(rebasing), WHOLE))
        );
        vm.assertLe(amountOut, amountIn, "no more than a fair price");
        // A last share may be worth less than a wei and stay; it never amounts to ten.
        vm.assertLe(rebasing.balanceOf(address(executor)), 10, "executor");
    }

    // Attacks

    function test_callbacks_refuseStrangers() public {
        ISwapCallbacks target = ISwapCallbacks(address(executor));
        bytes memory refusal =
            abi.encodeWithSelector(ISwapExecutor.UnexpectedCallback.selector, address(this));
        vm.expectRevert(refusal);
        target.uniswapV3SwapCallback(1, 0, "");
        vm.expectRevert(refusal);
        target.pancakeV3SwapCallback(1, 0, "");
        vm.expectRevert(refusal);
        target.algebraSwapCallback(1, 0, "");
        vm.expectRevert(refusal);
        target.ramsesV2SwapCallback(1, 0, "");
    }

    function test_callback_paysNoMoreThanTheStepsShare() public {
        EvilPool evil = _evil(EvilPool.Trick.AskTooMuch);
        ISwapExecutor.Step memory step = _evilStep(evil, WHOLE / 2);
        _expectRevert(
            abi.encodeWithSelector(ISwapExecutor.ExcessiveInput.selector, 10e18, 5e18),
            _params(address(tokenA), 10e18, address(tokenB)),
            _route(step)
        );
    }

    function test_callback_isAnsweredOnce() public {
        EvilPool evil = _evil(EvilPool.Trick.AskTwice);
        _expectRefusal(
            evil, abi.encodeWithSelector(ISwapExecutor.UnexpectedCallback.selector, address(evil))
        );
    }

    function test_callback_refusesANegativeAmount() public {
        EvilPool evil = _evil(EvilPool.Trick.AskNegative);
        _expectRefusal(
            evil,
            abi.encodeWithSelector(ISwapExecutor.ExcessiveInput.selector, type(uint256).max, 1e18)
        );
    }

    function test_callback_refusesAnAccompliceOfThePool() public {
        EvilPool accomplice = new EvilPool(executor);
        EvilPool evil = new EvilPool(executor);
        evil.arm(EvilPool.Trick.AskThroughAnother, address(tokenA), accomplice);
        _expectRefusal(
            evil,
            abi.encodeWithSelector(ISwapExecutor.UnexpectedCallback.selector, address(accomplice))
        );
    }

    function test_swap_cannotBeReenteredByAPool() public {
        _expectRefusal(
            _evil(EvilPool.Trick.Reenter), abi.encodePacked(TransientGuard.Reentrancy.selector)
        );
    }

    /// @dev The pool field names a token, so that the executor's own calls would have to be a transfer.
    function test_fuzz_swap_cannotSpendAVictimsAllowance(
        uint8 kind,
        uint256 share,
        bytes calldata data,
        uint8 poolChoice
    ) public {
        _armVictim();
        address[4] memory pools = [address(tokenA), address(weth), VICTIM, address(pairAb)];
        ISwapExecutor.Step memory step = ISwapExecutor.Step({
            kind: kind % 16,
            pool: pools[poolChoice % 4],
            tokenIn: address(tokenA),
            tokenOut: address(tokenB),
            share: _bound(share, 0, WHOLE),
            data: data
        });
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1e18, address(tokenB));
        ISwapExecutor.Step[] memory steps = _route(step);
        vm.prank(TAKER);
        // Whether the pool's call succeeds does not matter here.
        try executor.swap(params, steps) {} catch {}
        vm.assertEq(tokenA.balanceOf(VICTIM), 1e24, "victim");
        vm.assertEq(tokenA.allowance(VICTIM, address(executor)), type(uint256).max, "allowance");
        _assertNothingHeld();
    }

    function test_swap_pullsFromTheCallerOnly() public {
        _armVictim();
        vm.prank(TAKER);
        tokenA.approve(address(executor), 0);
        _expectRevert(
            abi.encodePacked(SafeTransferLib.TransferFromFailed.selector),
            _params(address(tokenA), 1e18, address(tokenB)),
            _route(_v3Step(poolAb, address(tokenA), WHOLE))
        );
    }

    function _armVictim() private {
        tokenA.mint(VICTIM, 1e24);
        vm.prank(VICTIM);
        tokenA.approve(address(executor), type(uint256).max);
    }

    function _evil(EvilPool.Trick trick) private returns (EvilPool evil) {
        evil = new EvilPool(executor);
        evil.arm(trick, address(tokenA), evil);
    }

    function _evilStep(EvilPool evil, uint256 share)
        private
        view
        returns (ISwapExecutor.Step memory step)
    {
        step = _v3Step(poolAb, address(tokenA), share);
        step.pool = address(evil);
    }

    function _expectRefusal(EvilPool evil, bytes memory reason) private {
        _expectRevert(
            reason, _params(address(tokenA), 1e18, address(tokenB)), _route(_evilStep(evil, WHOLE))
        );
    }
}

/// @notice Takes any amount for as much of the other token, moving tokens that return nothing too.
contract V3PoolOfAnything {
    address private immutable INPUT;
    address private immutable OUTPUT;

    constructor(address input, address output) {
        INPUT = input;
        OUTPUT = output;
    }

    function swap(address recipient, bool, int256 amount, uint160, bytes calldata data)
        external
        returns (int256, int256)
    {
        TestToken(OUTPUT).transfer(recipient, uint256(amount));
        bool zeroForOne = INPUT < OUTPUT;
        ISwapCallbacks(msg.sender)
            .uniswapV3SwapCallback(
                zeroForOne ? amount : -amount, zeroForOne ? -amount : amount, data
            );
        return (0, 0);
    }
}

/// @notice Tries to swap for itself in every transfer hook.
contract SwappingListener is ITransferHook {
    ISwapExecutor private immutable EXECUTOR;
    TestToken private immutable TOKEN;

    uint256 public attempts;
    uint256 public refusals;

    constructor(ISwapExecutor executor, TestToken token) {
        (EXECUTOR, TOKEN) = (executor, token);
        token.approve(address(executor), type(uint256).max);
    }

    function onTokenTransfer(address, address, uint256) external {
        ++attempts;
        ISwapExecutor.SwapParameters memory params = ISwapExecutor.SwapParameters({
            tokenIn: address(TOKEN),
            amountIn: 1,
            tokenOut: msg.sender,
            minAmountOut: 0,
            recipient: address(0),
            deadline: block.timestamp
        });
        try EXECUTOR.swap(params, new ISwapExecutor.Step[](0)) {}
        catch (bytes memory reason) {
            if (bytes4(reason) == TransientGuard.Reentrancy.selector) ++refusals;
        }
    }
}
