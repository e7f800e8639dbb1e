// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {QuotaManager} from "../src/QuotaManager.sol";
import {TransientGuard} from "../src/base/TransientGuard.sol";
import {IQuotaManager} from "../src/interfaces/IQuotaManager.sol";
import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {ExecutorWorld} from "./base/ExecutorWorld.sol";
import {V2Pair} from "./pools/V2Pair.sol";
import {CallbackStyle, V3Pool} from "./pools/V3Pool.sol";
import {HookToken, ITransferHook, TaxToken} from "./tokens/HostileTokens.sol";
import {PaymentToken} from "./tokens/PaymentToken.sol";
import {TestToken} from "./tokens/TestToken.sol";

contract QuotaManagerTest is ExecutorWorld {
    uint256 internal constant PRICE = 100;
    uint256 internal constant PAYER_KEY = 0xA11CE;
    bytes32 internal constant KEY_ID = keccak256("fy_test");
    address internal constant TREASURY = address(0x7EA5);

    PaymentToken internal usdc;
    QuotaManager internal manager;
    address internal payer;
    V2Pair internal pairAUsdc;
    V2Pair internal pairWethUsdc;

    function setUp() public override {
        super.setUp();
        usdc = new PaymentToken();
        manager = new QuotaManager(address(usdc), PRICE, TREASURY, address(executor));
        payer = vm.addr(PAYER_KEY);
        pairAUsdc = _pair(tokenA, usdc, 3000, 1e24, 1e12);
        pairWethUsdc = _pair(weth, usdc, 3000, 1e24, 1e12);
        usdc.mint(payer, 1e12);
        tokenA.mint(payer, 1e24);
        vm.deal(payer, 10 ether);
        vm.startPrank(payer);
        usdc.approve(address(manager), type(uint256).max);
        tokenA.approve(address(manager), type(uint256).max);
        vm.stopPrank();
    }

    // Plain purchases

    function test_fuzz_buyWithUsdc_countsWholeQuotes(uint256 amount) public {
        amount = _bound(amount, PRICE, 1e12);
        _expectPurchase(bytes32(0), amount / PRICE, amount, bytes32(0));
        vm.prank(payer);
        vm.assertEq(manager.buyWithUSDC(amount), amount / PRICE, "quotes");
        vm.assertEq(usdc.balanceOf(address(manager)), amount, "received");
    }

    function test_buyWithUsdc_revertsForDust() public {
        vm.prank(payer);
        vm.expectRevert(abi.encodeWithSelector(IQuotaManager.AmountTooSmall.selector, PRICE - 1));
        manager.buyWithUSDC(PRICE - 1);
    }

    function test_fuzz_buyFor_bindsToTheKey(uint256 quotes) public {
        quotes = _bound(quotes, 1, 1e10);
        _expectPurchase(KEY_ID, quotes, quotes * PRICE, bytes32(0));
        vm.prank(payer);
        manager.buyFor(KEY_ID, quotes);
        vm.assertEq(usdc.balanceOf(address(manager)), quotes * PRICE, "received");
    }

    function test_buyFor_revertsForNonsense() public {
        vm.startPrank(payer);
        vm.expectRevert(IQuotaManager.ZeroKey.selector);
        manager.buyFor(bytes32(0), 1);
        vm.expectRevert(abi.encodeWithSelector(IQuotaManager.AmountTooSmall.selector, 0));
        manager.buyFor(KEY_ID, 0);
        vm.expectRevert();
        manager.buyFor(KEY_ID, type(uint256).max / 2);
        vm.stopPrank();
    }

    function test_buyFor_revertsWhenThePaymentTokenTakesATax() public {
        TaxToken taxed = new TaxToken(100);
        QuotaManager own = new QuotaManager(address(taxed), PRICE, TREASURY, address(executor));
        taxed.mint(payer, 1e6);
        vm.startPrank(payer);
        taxed.approve(address(own), 1e6);
        vm.expectRevert(abi.encodeWithSelector(IQuotaManager.Underpaid.selector, 990, 1000));
        own.buyFor(KEY_ID, 10);
        vm.stopPrank();
    }

    // Permits and authorizations

    function test_buyForWithPermit_needsNoAllowance() public {
        (uint8 v, bytes32 r, bytes32 s) = _permit(1000, block.timestamp);
        vm.prank(payer);
        manager.buyForWithPermit(KEY_ID, 10, block.timestamp, v, r, s);
        vm.assertEq(usdc.balanceOf(address(manager)), 1000, "received");
    }

    function test_buyForWithPermit_survivesAFrontRunPermit() public {
        (uint8 v, bytes32 r, bytes32 s) = _permit(1000, block.timestamp);
        usdc.permit(payer, address(manager), 1000, block.timestamp, v, r, s);
        vm.prank(payer);
        manager.buyForWithPermit(KEY_ID, 10, block.timestamp, v, r, s);
        vm.assertEq(usdc.balanceOf(address(manager)), 1000, "received");
    }

    function test_buyForWithAuthorization_isRelayedByAnyone() public {
        IQuotaManager.Authorization memory authorization = _authorize(KEY_ID, 10);
        bytes32 nonce = manager.authorizationNonce(KEY_ID, authorization.salt);
        _expectPurchase(KEY_ID, 10, 1000, nonce);
        vm.prank(address(0xBAD));
        manager.buyForWithAuthorization(KEY_ID, 10, authorization);
        vm.assertEq(usdc.balanceOf(address(manager)), 1000, "received");
    }

    function test_fuzz_buyForWithAuthorization_cannotBeRedirected(bytes32 keyId, uint256 quotes)
        public
    {
        IQuotaManager.Authorization memory authorization = _authorize(KEY_ID, 10);
        quotes = _bound(quotes, 1, 1e9);
        vm.assume(keyId != bytes32(0) && (keyId != KEY_ID || quotes != 10));
        vm.expectRevert(PaymentToken.InvalidSignature.selector);
        manager.buyForWithAuthorization(keyId, quotes, authorization);
    }

    function test_buyForWithAuthorization_cannotBeSettledAroundTheManager() public {
        IQuotaManager.Authorization memory authorization = _authorize(KEY_ID, 10);
        bytes32 nonce = manager.authorizationNonce(KEY_ID, authorization.salt);
        vm.expectRevert(PaymentToken.InvalidAuthorization.selector);
        usdc.receiveWithAuthorization(
            payer, address(manager), 1000, 0, type(uint256).max, nonce, authorization.signature
        );
    }

    function test_buyForWithAuthorization_worksOnce() public {
        IQuotaManager.Authorization memory authorization = _authorize(KEY_ID, 10);
        manager.buyForWithAuthorization(KEY_ID, 10, authorization);
        vm.expectRevert(PaymentToken.InvalidAuthorization.selector);
        manager.buyForWithAuthorization(KEY_ID, 10, authorization);
    }

    // Purchases with another token

    function test_fuzz_buyWithToken_paysWithWhatTheSwapBrings(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1e15, 1e22);
        uint256 quoted = pairAUsdc.quote(address(tokenA), amountIn);
        bytes memory data = _quoteFor(address(tokenA), amountIn, pairAUsdc, payer);
        _expectPurchase(bytes32(0), quoted / PRICE, quoted, bytes32(0));
        vm.prank(payer);
        vm.assertEq(
            manager.buyWithToken(address(tokenA), amountIn, quoted, data), quoted / PRICE, "quotes"
        );
        vm.assertEq(usdc.balanceOf(address(manager)), quoted, "received");
        _assertManagerPassesEverythingElseOn();
    }

    function test_buyWithToken_takesNativeCurrency() public {
        bytes memory data = _quoteFor(address(0), 1 ether, pairWethUsdc, address(manager));
        vm.prank(payer);
        uint256 quotes = manager.buyWithToken{value: 1 ether}(address(0), 1 ether, 1, data);
        vm.assertEq(usdc.balanceOf(address(manager)) / PRICE, quotes, "received");
        _assertManagerPassesEverythingElseOn();
    }

    function test_buyWithToken_ignoresARecipientInTheSwapData() public {
        bytes memory data = _quoteFor(address(tokenA), 1e18, pairAUsdc, address(0xBAD));
        vm.prank(payer);
        manager.buyWithToken(address(tokenA), 1e18, 1, data);
        vm.assertEq(usdc.balanceOf(address(0xBAD)), 0, "nobody else is paid");
    }

    function test_buyWithToken_returnsWhatPoolsCannotTake() public {
        V3Pool small = _pool(tokenA, usdc, 0, CallbackStyle.Uniswap);
        small.setCapacity(5000);
        ISwapExecutor.Step[] memory steps = _route(_v3Step(small, address(tokenA), WHOLE));
        bytes memory data = abi.encodeCall(
            ISwapExecutor.swap, (_params(address(tokenA), 9000, address(usdc)), steps)
        );
        vm.prank(payer);
        vm.assertEq(manager.buyWithToken(address(tokenA), 9000, 1, data), 50, "quotes");
        vm.assertEq(tokenA.balanceOf(payer), 1e24 - 5000, "change");
        _assertManagerPassesEverythingElseOn();
    }

    function test_buyWithToken_returnsUnspentNativeCurrency() public {
        V3Pool small = _pool(weth, usdc, 0, CallbackStyle.Uniswap);
        small.setCapacity(5000);
        ISwapExecutor.Step[] memory steps = _route(_v3Step(small, address(weth), WHOLE));
        bytes memory data =
            abi.encodeCall(ISwapExecutor.swap, (_params(address(0), 9000, address(usdc)), steps));
        uint256 before = payer.balance;
        vm.prank(payer);
        manager.buyWithToken{value: 9000}(address(0), 9000, 1, data);
        vm.assertEq(payer.balance, before - 5000, "change");
        _assertManagerPassesEverythingElseOn();
    }

    function test_buyWithToken_revertsBelowTheCallersMinimum() public {
        uint256 quoted = pairAUsdc.quote(address(tokenA), 1e18);
        bytes memory data = _quoteFor(address(tokenA), 1e18, pairAUsdc, payer);
        vm.prank(payer);
        vm.expectRevert(
            abi.encodeWithSelector(ISwapExecutor.InsufficientOutput.selector, quoted, quoted + 1)
        );
        manager.buyWithToken(address(tokenA), 1e18, quoted + 1, data);
    }

    function test_buyWithToken_cannotSpendTheManagersOwnFunds() public {
        vm.startPrank(payer);
        manager.buyWithUSDC(1e9);
        bytes memory data = _quoteFor(address(usdc), 1e9, pairAUsdc, payer);
        vm.expectRevert(IQuotaManager.UsePaymentToken.selector);
        manager.buyWithToken(address(usdc), 1e9, 0, data);
        // Steps that start from the payment token find nothing of it in the executor.
        data = _quoteFor(address(tokenA), 0, pairAUsdc, payer);
        vm.expectRevert(abi.encodeWithSelector(IQuotaManager.AmountTooSmall.selector, 0));
        manager.buyWithToken(address(tokenA), 0, 0, data);
        vm.stopPrank();
        vm.assertEq(usdc.balanceOf(address(manager)), 1e9, "untouched");
    }

    function test_buyWithToken_revertsForOtherCalldata() public {
        vm.startPrank(payer);
        vm.expectRevert(IQuotaManager.InvalidSwapData.selector);
        manager.buyWithToken(address(tokenA), 1, 0, "");
        vm.expectRevert(IQuotaManager.InvalidSwapData.selector);
        manager.buyWithToken(address(tokenA), 1, 0, abi.encodeCall(TestToken.transfer, (payer, 1)));
        bytes memory data = _quoteFor(address(tokenA), 1, pairAUsdc, payer);
        vm.expectRevert(abi.encodeWithSelector(IQuotaManager.InvalidValue.selector, 1));
        manager.buyWithToken{value: 1}(address(tokenA), 1, 0, data);
        vm.stopPrank();
    }

    function test_buyWithToken_cannotBeReentered() public {
        HookToken hooked = new HookToken();
        V2Pair pair = _pair(hooked, usdc, 3000, 1e24, 1e12);
        hooked.mint(payer, 1e18);
        BuyingListener listener = new BuyingListener(manager);
        hooked.setListener(listener);
        bytes memory data = _quoteFor(address(hooked), 1e18, pair, payer);
        vm.startPrank(payer);
        hooked.approve(address(manager), 1e18);
        manager.buyWithToken(address(hooked), 1e18, 1, data);
        vm.stopPrank();
        vm.assertGe(listener.refusals(), 2, "the hook ran");
        vm.assertEq(listener.refusals(), listener.attempts(), "every reentry refused");
    }

    // Withdrawals

    function test_fuzz_withdraw_paysTheTreasuryWhoeverCalls(address caller, uint256 amount) public {
        amount = _bound(amount, 0, 1e12);
        usdc.mint(address(manager), amount);
        vm.prank(caller);
        vm.assertEq(manager.withdraw(address(usdc)), amount, "amount");
        vm.assertEq(usdc.balanceOf(TREASURY), amount, "treasury");
        vm.assertEq(usdc.balanceOf(address(manager)), 0, "manager");
    }

    function test_withdraw_movesStrayNativeCurrencyToo() public {
        vm.deal(address(manager), 3);
        vm.assertEq(manager.withdraw(address(0)), 3, "amount");
        vm.assertEq(TREASURY.balance, 3, "treasury");
    }

    function test_receive_refusesStrangers() public {
        vm.prank(payer);
        (bool success, bytes memory reason) = address(manager).call{value: 1}("");
        vm.assertTrue(!success, "refused");
        vm.assertTrue(bytes4(reason) == IQuotaManager.NotExecutor.selector, "reason");
    }

    function test_constructor_revertsForMissingParts() public {
        vm.expectRevert(IQuotaManager.InvalidConfiguration.selector);
        new QuotaManager(address(0x1), PRICE, TREASURY, address(executor));
        vm.expectRevert(IQuotaManager.InvalidConfiguration.selector);
        new QuotaManager(address(usdc), 0, TREASURY, address(executor));
        vm.expectRevert(IQuotaManager.InvalidConfiguration.selector);
        new QuotaManager(address(usdc), PRICE, address(0), address(executor));
        vm.expectRevert(IQuotaManager.InvalidConfiguration.selector);
        new QuotaManager(address(usdc), PRICE, TREASURY, address(0x1));
    }

    function _expectPurchase(bytes32 keyId, uint256 quotes, uint256 amount, bytes32 ref) private {
        vm.expectEmit(true, true, true, true, address(manager));
        emit IQuotaManager.QuotaPurchased(keyId, payer, quotes, amount, ref);
    }

    function _permit(uint256 amount, uint256 deadline)
        private
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        vm.prank(payer);
        usdc.approve(address(manager), 0);
        bytes32 digest = usdc.permitDigest(payer, address(manager), amount, 0, deadline);
        (v, r, s) = vm.sign(PAYER_KEY, digest);
    }

    function _authorize(bytes32 keyId, uint256 quotes)
        private
        view
        returns (IQuotaManager.Authorization memory)
    {
        bytes32 salt = keccak256("salt");
        bytes32 digest = usdc.receiveDigest(
            payer,
            address(manager),
            quotes * PRICE,
            0,
            type(uint256).max,
            manager.authorizationNonce(keyId, salt)
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, digest);
        return IQuotaManager.Authorization({
            from: payer,
            validAfter: 0,
            validBefore: type(uint256).max,
            salt: salt,
            signature: abi.encodePacked(r, s, v)
        });
    }

    function _quoteFor(address tokenIn, uint256 amountIn, V2Pair pair, address recipient)
        private
        view
        returns (bytes memory)
    {
        ISwapExecutor.SwapParameters memory params = _params(tokenIn, amountIn, address(usdc));
        params.recipient = recipient;
        address first = tokenIn == address(0) ? address(weth) : tokenIn;
        return abi.encodeCall(ISwapExecutor.swap, (params, _route(_v2Step(pair, first, WHOLE))));
    }

    function _assertManagerPassesEverythingElseOn() private view {
        vm.assertEq(tokenA.balanceOf(address(manager)), 0, "manager's A");
        vm.assertEq(weth.balanceOf(address(manager)), 0, "manager's WETH");
        vm.assertEq(address(manager).balance, 0, "manager's native");
        vm.assertEq(tokenA.allowance(address(manager), address(executor)), 0, "allowance");
        _assertNothingHeld();
    }
}

/// @notice Tries to buy and to withdraw in every transfer hook.
contract BuyingListener is ITransferHook {
    QuotaManager private immutable MANAGER;

    uint256 public attempts;
    uint256 public refusals;

    constructor(QuotaManager manager) {
        MANAGER = manager;
    }

    function onTokenTransfer(address from, address, uint256) external {
        if (from != address(MANAGER)) return;
        ++attempts;
        try MANAGER.withdraw(MANAGER.TOKEN()) {}
        catch (bytes memory reason) {
            if (bytes4(reason) == TransientGuard.Reentrancy.selector) ++refusals;
        }
    }
}
