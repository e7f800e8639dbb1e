// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {QuotaManager} from "../src/QuotaManager.sol";
import {SwapExecutor} from "../src/SwapExecutor.sol";
import {UserProxyFactoryV6} from "../src/UserProxyFactoryV6.sol";
import {UserProxyV6} from "../src/UserProxyV6.sol";
import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {IUserProxyV6} from "../src/interfaces/IUserProxyV6.sol";
import {EvilPool} from "./base/Attackers.sol";
import {ExecutorWorld} from "./base/ExecutorWorld.sol";
import {Router} from "./base/Routers.sol";
import {Test, Vm} from "./base/Test.sol";
import {ISwapCallbacks} from "./pools/V3Pool.sol";
import {PaymentToken} from "./tokens/PaymentToken.sol";
import {TestToken} from "./tokens/TestToken.sol";

/// @notice Swaps at random through honest and hostile pools, as users who approved without limit.
contract ExecutorHandler is Test {
    SwapExecutor private immutable EXECUTOR;
    TestToken[3] public tokens;
    ISwapExecutor.Step[] private _steps;
    EvilPool private immutable EVIL;

    uint256 public succeeded;

    constructor(
        SwapExecutor executor,
        TestToken[3] memory theTokens,
        ISwapExecutor.Step[] memory steps
    ) {
        EXECUTOR = executor;
        tokens = theTokens;
        for (uint256 i = 0; i < steps.length; ++i) {
            _steps.push(steps[i]);
        }
        EVIL = new EvilPool(executor);
    }

    function swap(uint256 seed, uint256 amountIn, uint64 share, uint8 length) external {
        ISwapExecutor.Step[] memory steps = new ISwapExecutor.Step[](length % 5);
        for (uint256 i = 0; i < steps.length; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            steps[i] = _steps[draw % _steps.length];
            steps[i].share = draw % 3 == 0 ? share : 1 << 64;
            if (draw % 7 == 0) steps[i].pool = address(EVIL);
        }
        _run(seed, amountIn, steps);
    }

    /// @notice A stranger names any contract as pool and any account as tokens.
    function attack(uint256 seed, address pool, uint8 kind, bytes calldata data) external {
        ISwapExecutor.Step[] memory steps = new ISwapExecutor.Step[](1);
        steps[0] = _steps[seed % _steps.length];
        (steps[0].pool, steps[0].kind, steps[0].data) = (pool, kind % 16, data);
        _run(seed, 1e18, steps);
    }

    function arm(uint8 trick, uint8 token) external {
        EVIL.arm(EvilPool.Trick(trick % 6), address(tokens[token % 3]), EVIL);
    }

    function callBack(int256 amount0, int256 amount1) external {
        (bool success,) = address(EXECUTOR)
            .call(abi.encodeCall(ISwapCallbacks.uniswapV3SwapCallback, (amount0, amount1, "")));
        vm.assertTrue(!success, "a stranger's callback is refused");
    }

    function _run(uint256 seed, uint256 amountIn, ISwapExecutor.Step[] memory steps) private {
        TestToken tokenIn = tokens[seed % 3];
        TestToken tokenOut = tokens[(seed % 3 + 1 + (seed >> 8) % 2) % 3];
        amountIn = _bound(amountIn, 0, 1e24);
        tokenIn.mint(address(this), amountIn);
        tokenIn.approve(address(EXECUTOR), amountIn);
        ISwapExecutor.SwapParameters memory params = ISwapExecutor.SwapParameters({
            tokenIn: address(tokenIn),
            amountIn: amountIn,
            tokenOut: address(tokenOut),
            minAmountOut: 0,
            recipient: address(0),
            deadline: block.timestamp
        });
        try EXECUTOR.swap(params, steps) {
            ++succeeded;
        } catch {}
    }
}

contract ExecutorInvariants is ExecutorWorld {
    address internal constant VICTIM = address(0x71C);

    ExecutorHandler internal handler;

    function setUp() public override {
        super.setUp();
        ISwapExecutor.Step[] memory steps = new ISwapExecutor.Step[](5);
        steps[0] = _v2Step(pairAb, address(tokenA), WHOLE);
        steps[1] = _v2Step(pairBc, address(tokenB), WHOLE);
        steps[2] = _v2Step(pairBc, address(tokenC), WHOLE);
        steps[3] = _v3Step(poolAb, address(tokenB), WHOLE);
        steps[4] = _v3Step(poolAc, address(tokenC), WHOLE);
        handler = new ExecutorHandler(executor, [tokenA, tokenB, tokenC], steps);
        TestToken[3] memory tokens = [tokenA, tokenB, tokenC];
        for (uint256 i = 0; i < 3; ++i) {
            tokens[i].mint(VICTIM, 1e24);
            vm.prank(VICTIM);
            tokens[i].approve(address(executor), type(uint256).max);
        }
        _target(address(handler));
    }

    function invariant_executorHoldsNothing() public view {
        _assertNothingHeld();
    }

    function invariant_nobodyElsesAllowanceIsSpent() public view {
        vm.assertEq(tokenA.balanceOf(VICTIM), 1e24, "A");
        vm.assertEq(tokenB.balanceOf(VICTIM), 1e24, "B");
        vm.assertEq(tokenC.balanceOf(VICTIM), 1e24, "C");
    }
}

/// @notice Executes at random through one proxy, whole, in part, with strays, with failing routers.
contract ProxyHandler is Test {
    IUserProxyV6 public immutable PROXY;
    Router public immutable ROUTER;
    TestToken public immutable INPUT;
    TestToken public immutable OUTPUT;

    uint256 public spent;
    uint256 public earned;
    uint256 public minted;
    uint256 public strays;

    constructor(UserProxyFactoryV6 factory, Router router) {
        PROXY = IUserProxyV6(factory.deploy(address(this)));
        ROUTER = router;
        INPUT = new TestToken();
        OUTPUT = new TestToken();
        OUTPUT.mint(address(router), type(uint128).max);
        INPUT.approve(address(PROXY), type(uint256).max);
    }

    receive() external payable {}

    function execute(uint256 amountIn, uint256 taken, uint256 paid, uint256 minOut) external {
        amountIn = _bound(amountIn, 0, 1e24);
        taken = _bound(taken, 0, amountIn + amountIn / 8);
        paid = _bound(paid, 0, 1e24);
        INPUT.mint(address(this), amountIn);
        minted += amountIn;
        IUserProxyV6.Swap memory swap = IUserProxyV6.Swap({
            tokenIn: address(INPUT),
            amountIn: amountIn,
            tokenOut: address(OUTPUT),
            minOut: _bound(minOut, 1, paid + paid / 8 + 1),
            spender: address(ROUTER),
            target: address(ROUTER),
            data: abi.encodeCall(
                Router.trade, (address(INPUT), taken, address(OUTPUT), paid, address(PROXY))
            ),
            deadline: block.timestamp
        });
        uint256 before = OUTPUT.balanceOf(address(this));
        try PROXY.execute(swap) returns (uint256 amountOut) {
            spent += taken;
            earned += OUTPUT.balanceOf(address(this)) - before;
            strays = 0;
            vm.assertGe(amountOut, swap.minOut, "minOut");
        } catch {
            vm.assertEq(OUTPUT.balanceOf(address(this)), before, "a failed swap changes nothing");
        }
    }

    function donate(uint96 amount) external {
        INPUT.mint(address(PROXY), amount);
        minted += amount;
        strays += amount;
    }

    function sweep() external {
        PROXY.sweep(address(INPUT));
        strays = 0;
    }
}

contract ProxyInvariants is Test {
    ProxyHandler internal handler;

    function setUp() public {
        UserProxyFactoryV6 factory = new UserProxyFactoryV6(address(new UserProxyV6()));
        handler = new ProxyHandler(factory, new Router());
        _target(address(handler));
    }

    function invariant_allowanceIsBackAtZero() public view {
        address proxy = address(handler.PROXY());
        vm.assertEq(
            handler.INPUT().allowance(proxy, address(handler.ROUTER())), 0, "router's allowance"
        );
    }

    function invariant_nothingStaysButWhatStrangersSent() public view {
        address proxy = address(handler.PROXY());
        vm.assertEq(handler.INPUT().balanceOf(proxy), handler.strays(), "input");
        vm.assertEq(handler.OUTPUT().balanceOf(proxy), 0, "output");
    }

    function invariant_theOwnerLosesWhatTheRouterTookAndNoMore() public view {
        uint256 held = handler.INPUT().balanceOf(address(handler));
        vm.assertEq(
            held + handler.spent() + handler.strays(), handler.minted(), "input accounted for"
        );
    }
}

/// @notice Buys, donates and withdraws at random.
contract QuotaHandler is Test {
    QuotaManager private immutable MANAGER;
    PaymentToken private immutable USDC;

    uint256 public paid;
    uint256 public quotes;

    constructor(QuotaManager manager, PaymentToken usdc) {
        (MANAGER, USDC) = (manager, usdc);
        usdc.approve(address(manager), type(uint256).max);
    }

    function buy(uint96 amount) external {
        USDC.mint(address(this), amount);
        try MANAGER.buyWithUSDC(amount) returns (uint256 bought) {
            paid += amount;
            quotes += bought;
        } catch {
            vm.assertTrue(amount < MANAGER.AMOUNT_PER_QUOTE(), "only dust is refused");
        }
    }

    function buyFor(bytes32 keyId, uint64 count) external {
        if (keyId == bytes32(0) || count == 0) return;
        uint256 amount = uint256(count) * MANAGER.AMOUNT_PER_QUOTE();
        USDC.mint(address(this), amount);
        MANAGER.buyFor(keyId, count);
        paid += amount;
        quotes += count;
    }

    function transfer(uint96 amount) external {
        USDC.mint(address(MANAGER), amount);
        paid += amount;
    }

    function withdraw() external {
        MANAGER.withdraw(address(USDC));
    }
}

contract QuotaInvariants is Test {
    address internal constant TREASURY = address(0x7EA5);

    PaymentToken internal usdc;
    QuotaManager internal manager;
    QuotaHandler internal handler;

    function setUp() public {
        usdc = new PaymentToken();
        manager = new QuotaManager(
            address(usdc), 100, TREASURY, address(new SwapExecutor(address(usdc)))
        );
        handler = new QuotaHandler(manager, usdc);
        _target(address(handler));
    }

    function invariant_everyPaymentIsInTheManagerOrTheTreasury() public view {
        uint256 held = usdc.balanceOf(address(manager)) + usdc.balanceOf(TREASURY);
        vm.assertEq(held, handler.paid(), "paid");
    }

    function invariant_quotesNeverExceedPayments() public view {
        vm.assertLe(handler.quotes() * manager.AMOUNT_PER_QUOTE(), handler.paid(), "quotes");
    }
}
