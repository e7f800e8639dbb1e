// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {IBalancerV3Vault, IPoolManager} from "../src/interfaces/IVaults.sol";
import {StepKinds} from "../src/swaps/StepKinds.sol";
import {FamilyWorld} from "./base/FamilyWorld.sol";
import {SolidlyPair} from "./pools/PaidFirstPools.sol";
import {CurveStablePool, FluidLiquidity, FluidPool} from "./pools/PullingPools.sol";
import {MaverickPool, PoolManager} from "./pools/Vaults.sol";
import {TestToken} from "./tokens/TestToken.sol";

/// @notice Every family besides Uniswap v2 and v3: output, leftovers, allowances, attacks.
contract SwapFamiliesTest is FamilyWorld {
    uint256 internal constant PRICED = 997_500;

    // Pools that are paid first

    function test_fuzz_solidly(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1e4, 1e23);
        ISwapExecutor.Step memory step = _solidly();
        uint256 quoted = SolidlyPair(step.pool).getAmountOut(amountIn, address(tokenA));
        vm.assertEq(_sell(step, amountIn), quoted, "out");
    }

    function test_fuzz_liquidityBook(uint256 amountIn) public {
        _assertPriced(_liquidityBook(), amountIn);
    }

    function test_fuzz_dodo(uint256 amountIn, bool sellsBase) public {
        _assertPriced(_dodo(sellsBase), amountIn);
    }

    function test_fuzz_wooFi(uint256 amountIn) public {
        _assertPriced(_wooFi(), amountIn);
    }

    function test_fuzz_trident(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1e9, 1e23);
        // What no share stands for is not the pool's.
        uint256 shared = amountIn / 3 * 3;
        vm.assertEq(_sell(_trident(), amountIn), shared * PRICED / 1e6, "out");
    }

    // Pools that pull

    function test_fuzz_curveStable(uint256 amountIn) public {
        _assertPriced(_curveStable(), amountIn);
    }

    function test_fuzz_curveCrypto(uint256 amountIn) public {
        _assertPriced(_curveCrypto(), amountIn);
    }

    function test_fuzz_balancerV2(uint256 amountIn) public {
        _assertPriced(_balancerV2(), amountIn);
    }

    function test_fuzz_fluid(uint256 amountIn) public {
        _assertPriced(_fluid(), amountIn);
    }

    function test_fluid_takesAndGivesNativeCurrency() public {
        FluidLiquidity liquidity = new FluidLiquidity();
        FluidPool pool = new FluidPool(address(0), address(tokenB), liquidity);
        _stock(address(pool));
        vm.deal(address(liquidity), 1e24);
        _assertNativeBothWays(
            StepKinds.FLUID, address(pool), abi.encode(true, true), abi.encode(false, true)
        );
    }

    function test_curveStable_takesAndGivesNativeCurrency() public {
        address[] memory coins = new address[](2);
        coins[1] = address(tokenB);
        CurveStablePool pool = new CurveStablePool(coins);
        _stock(address(pool));
        vm.deal(address(pool), 1e24);
        _assertNativeBothWays(
            StepKinds.CURVE_STABLE,
            address(pool),
            abi.encode(uint256(0), uint256(1), true),
            abi.encode(uint256(1), uint256(0), true)
        );
    }

    // Pools that call back

    function test_fuzz_uniswapV4(uint256 amountIn, uint256 capacity) public {
        ISwapExecutor.Step memory step = _uniswapV4();
        amountIn = _assertPriced(step, amountIn);
        capacity = _bound(capacity, 0, amountIn);
        PoolManager(payable(step.pool)).setCapacity(capacity);
        _assertPartial(step, amountIn, capacity);
    }

    function test_uniswapV4_takesAndGivesNativeCurrency() public {
        PoolManager manager = new PoolManager();
        _stock(address(manager));
        vm.deal(address(manager), 1e24);
        bytes memory data = _v4Data(address(0), address(tokenB));
        _assertNativeBothWays(StepKinds.UNISWAP_V4, address(manager), data, data);
    }

    function test_fuzz_balancerV3(uint256 amountIn) public {
        _assertPriced(_balancerV3(), amountIn);
    }

    function test_fuzz_maverick(uint256 amountIn, uint256 capacity, bool tokenAIn) public {
        ISwapExecutor.Step memory step = _maverick(tokenAIn);
        amountIn = _assertPriced(step, amountIn);
        capacity = _bound(capacity, 0, amountIn);
        MaverickPool(step.pool).setCapacity(capacity);
        _assertPartial(step, amountIn, capacity);
    }

    // All together

    function test_fuzz_splitOverAllFamilies(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1e9, 1e22);
        ISwapExecutor.Step[] memory steps = new ISwapExecutor.Step[](11);
        steps[0] = _solidly();
        steps[1] = _liquidityBook();
        steps[2] = _dodo(true);
        steps[3] = _wooFi();
        steps[4] = _curveStable();
        steps[5] = _curveCrypto();
        steps[6] = _balancerV2();
        steps[7] = _fluid();
        steps[8] = _uniswapV4();
        steps[9] = _balancerV3();
        steps[10] = _maverick(true);
        uint256 left = amountIn;
        uint256 expected = 0;
        for (uint256 i = 0; i < steps.length; ++i) {
            if (i + 1 < steps.length) steps[i].share = WHOLE / (steps.length - i);
            uint256 spent = (left * steps[i].share) >> 64;
            left -= spent;
            expected += i == 0
                ? SolidlyPair(steps[0].pool).getAmountOut(spent, address(tokenA))
                : spent * PRICED / 1e6;
        }
        uint256 amountOut = _swap(_params(address(tokenA), amountIn, address(tokenB)), steps);
        vm.assertEq(amountOut, expected, "the exact replay");
        _assertNothingHeld();
    }

    // Attacks

    function test_vaultCallbacks_refuseStrangers() public {
        bytes memory refusal =
            abi.encodeWithSelector(ISwapExecutor.UnexpectedCallback.selector, address(this));
        vm.expectRevert(refusal);
        executor.unlockCallback("");
        vm.expectRevert(refusal);
        executor.balancerV3UnlockCallback(address(this), address(tokenA));
        vm.expectRevert(refusal);
        executor.maverickV2SwapCallback(address(tokenA), 1, 1, "");
    }

    function test_evilManager_getsNoMoreThanTheStepsShare() public {
        EvilManager evil = new EvilManager(5e18 + 1);
        ISwapExecutor.Step memory step =
            _step(StepKinds.UNISWAP_V4, address(evil), _v4Data(address(tokenA), address(tokenB)));
        step.share = WHOLE / 2;
        _expectRevert(
            abi.encodeWithSelector(ISwapExecutor.ExcessiveInput.selector, 5e18 + 1, 5e18),
            _params(address(tokenA), 10e18, address(tokenB)),
            _route(step)
        );
    }

    function test_evilBalancerVault_getsNoMoreThanTheStepsShare() public {
        ISwapExecutor.Step memory step = _step(
            StepKinds.BALANCER_V3, address(new EvilBalancerVault(5e18 + 1)), abi.encode(address(1))
        );
        step.share = WHOLE / 2;
        _expectRevert(
            abi.encodeWithSelector(ISwapExecutor.ExcessiveInput.selector, 5e18 + 1, 5e18),
            _params(address(tokenA), 10e18, address(tokenB)),
            _route(step)
        );
    }

    /// @dev Names another currency in the callback than the step's: is paid in the step's all the same.
    function test_evilManager_cannotChooseAnotherToken() public {
        EvilManager evil = new EvilManager(1e18);
        evil.swapKeyFor(address(tokenC));
        tokenC.mint(address(executor), 7e18);
        _swap(
            _params(address(tokenA), 1e18, address(tokenB)),
            _route(
                _step(
                    StepKinds.UNISWAP_V4, address(evil), _v4Data(address(tokenA), address(tokenB))
                )
            )
        );
        vm.assertEq(tokenC.balanceOf(address(evil)), 0, "another token");
        vm.assertEq(tokenA.balanceOf(address(evil)), 1e18, "the step's token");
    }

    /// @dev A pool that leaves its allowance unused finds it gone in the middle of a later swap.
    function test_unusedAllowance_endsWithThePoolsCall() public {
        PatientThief thief = new PatientThief(address(tokenA), address(executor));
        ISwapExecutor.Step memory bait = _step(
            StepKinds.CURVE_STABLE, address(thief), abi.encode(uint256(0), uint256(1), false)
        );
        _swap(_params(address(tokenA), 9e18, address(tokenB)), _route(bait));
        _assertNoAllowance(address(thief));

        ISwapExecutor.Step memory trigger = bait;
        (trigger.kind, trigger.data) = (StepKinds.WOOFI, "");
        trigger.share = WHOLE / 1e6;
        _swap(
            _params(address(tokenA), 9e18, address(tokenB)),
            _route(trigger, _v3Step(poolAb, address(tokenA), WHOLE))
        );
        vm.assertTrue(thief.tried(), "the thief had its moment");
        vm.assertLe(tokenA.balanceOf(address(thief)), 9e12, "only its own share");
    }

    function _sell(ISwapExecutor.Step memory step, uint256 amountIn)
        private
        returns (uint256 amountOut)
    {
        amountOut = _swap(_params(address(tokenA), amountIn, address(tokenB)), _route(step));
        vm.assertEq(tokenB.balanceOf(RECIPIENT), amountOut, "recipient");
        _assertNoAllowance(step.pool);
        _assertNothingHeld();
    }

    function _assertPriced(ISwapExecutor.Step memory step, uint256 amount)
        private
        returns (uint256 amountIn)
    {
        amountIn = _bound(amount, 1, 1e23);
        vm.assertEq(_sell(step, amountIn), amountIn * PRICED / 1e6, "out");
    }

    function _assertPartial(ISwapExecutor.Step memory step, uint256 amountIn, uint256 capacity)
        private
    {
        uint256 before = tokenA.balanceOf(RECIPIENT);
        uint256 amountOut = _swap(_params(address(tokenA), amountIn, address(tokenB)), _route(step));
        vm.assertEq(amountOut, capacity * PRICED / 1e6, "partial");
        vm.assertEq(tokenA.balanceOf(RECIPIENT) - before, amountIn - capacity, "change");
        _assertNothingHeld();
    }

    function _assertNativeBothWays(
        uint8 kind,
        address pool,
        bytes memory dataIn,
        bytes memory dataOut
    ) private {
        ISwapExecutor.Step memory step = _step(kind, pool, dataIn);
        step.tokenIn = address(weth);
        vm.prank(TAKER);
        uint256 tokens = executor.swap{value: 1 ether}(
            _params(address(0), 1 ether, address(tokenB)), _route(step)
        );
        vm.assertEq(tokens, 0.9975 ether, "native in");

        (step.tokenIn, step.tokenOut, step.data) = (address(tokenB), address(weth), dataOut);
        tokenB.mint(TAKER, 1 ether);
        vm.prank(TAKER);
        tokenB.approve(address(executor), 1 ether);
        uint256 native = _swap(_params(address(tokenB), 1 ether, address(0)), _route(step));
        vm.assertEq(native, 0.9975 ether, "native out");
        vm.assertEq(RECIPIENT.balance, native, "recipient");
        vm.prank(TAKER);
        (bool success,) = address(executor).call{value: 1}("");
        vm.assertTrue(!success, "strangers are refused again");
        _assertNothingHeld();
    }

    function _assertNoAllowance(address pool) private view {
        vm.assertEq(tokenA.allowance(address(executor), pool), 0, "allowance");
    }
}

/// @notice A pool manager that asks for a sum of its own, and for a currency of its own.
contract EvilManager {
    uint256 private immutable ASKED;
    address private _currency;

    constructor(uint256 asked) {
        ASKED = asked;
    }

    function swapKeyFor(address currency) external {
        _currency = currency;
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        (IPoolManager.PoolKey memory key, bytes memory hookData, bool zeroForOne) =
            abi.decode(data, (IPoolManager.PoolKey, bytes, bool));
        if (_currency != address(0)) (key.currency0, key.currency1) = (_currency, _currency);
        (bool success, bytes memory reason) = msg.sender
            .call(
                abi.encodeWithSignature(
                    "unlockCallback(bytes)", abi.encode(key, hookData, zeroForOne)
                )
            );
        if (!success) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
        return "";
    }

    function swap(
        IPoolManager.PoolKey calldata,
        IPoolManager.SwapParams calldata params,
        bytes calldata
    ) external view returns (int256) {
        int256 owed = -int256(ASKED);
        return params.zeroForOne ? owed << 128 : int256(uint256(uint128(int128(owed))));
    }

    function sync(address) external {}

    function settle() external payable returns (uint256) {}

    function take(address, address, uint256) external {}
}

/// @notice A Balancer v3 vault that asks for a sum of its own.
contract EvilBalancerVault {
    uint256 private immutable ASKED;

    constructor(uint256 asked) {
        ASKED = asked;
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        (bool success, bytes memory reason) = msg.sender.call(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
        return "";
    }

    function swap(IBalancerV3Vault.VaultSwapParams calldata)
        external
        view
        returns (uint256, uint256, uint256)
    {
        return (0, ASKED, 0);
    }
}

/// @notice Takes nothing when it is allowed to, and tries once it is called without an allowance.
contract PatientThief {
    TestToken private immutable TOKEN;
    address private immutable EXECUTOR;

    bool public tried;

    constructor(address token, address executor) {
        TOKEN = TestToken(token);
        EXECUTOR = executor;
    }

    function exchange(int128, int128, uint256, uint256) external {}

    function swap(address, address, uint256, uint256, address, address) external returns (uint256) {
        tried = true;
        try TOKEN.transferFrom(EXECUTOR, address(this), 1e18) {} catch {}
        return 0;
    }
}
