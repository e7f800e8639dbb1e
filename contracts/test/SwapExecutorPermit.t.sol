// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {ExecutorWorld} from "./base/ExecutorWorld.sol";
import {V2Pair} from "./pools/V2Pair.sol";
import {FallbackToken, ReenteringPermitToken} from "./tokens/HostileTokens.sol";
import {PaymentToken} from "./tokens/PaymentToken.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @notice Swaps by a signature instead of an approval.
contract SwapExecutorPermitTest is ExecutorWorld {
    uint256 private constant SIGNER_KEY = 0x5169;
    uint256 private constant AMOUNT = 1e18;

    PaymentToken private permitted;
    V2Pair private pair;
    address private signer;

    function setUp() public override {
        super.setUp();
        permitted = new PaymentToken();
        pair = _pair(permitted, tokenB, 3000, 1e24, 1e24);
        signer = vm.addr(SIGNER_KEY);
        permitted.mint(signer, 10 * AMOUNT);
    }

    function test_swapWithPermit_needsNoAllowance() public {
        (uint8 v, bytes32 r, bytes32 s) = _sign(AMOUNT);
        uint256 quoted = pair.quote(address(permitted), AMOUNT);
        vm.assertEq(_swapAs(signer, AMOUNT, v, r, s), quoted, "amountOut");
        vm.assertEq(tokenB.balanceOf(RECIPIENT), quoted, "recipient");
        vm.assertEq(permitted.balanceOf(signer), 9 * AMOUNT, "spent");
        vm.assertEq(permitted.allowance(signer, address(executor)), 0, "left allowed");
        vm.assertEq(permitted.balanceOf(address(executor)), 0, "executor");
        _assertNothingHeld();
    }

    function test_swapWithPermit_survivesAPermitSentAhead() public {
        (uint8 v, bytes32 r, bytes32 s) = _sign(AMOUNT);
        permitted.permit(signer, address(executor), AMOUNT, block.timestamp, v, r, s);
        uint256 quoted = pair.quote(address(permitted), AMOUNT);
        vm.assertEq(_swapAs(signer, AMOUNT, v, r, s), quoted, "amountOut");
    }

    function test_swapWithPermit_givesStrangersNothingOfTheSigner() public {
        (uint8 v, bytes32 r, bytes32 s) = _sign(AMOUNT);
        permitted.permit(signer, address(executor), AMOUNT, block.timestamp, v, r, s);
        _expectNothingTaken(TAKER, AMOUNT, v, r, s);
        vm.assertEq(permitted.balanceOf(signer), 10 * AMOUNT, "signer");
    }

    function test_fuzz_swapWithPermit_takesNoOtherAmount(uint256 amount) public {
        amount = _bound(amount, 1, 10 * AMOUNT);
        vm.assume(amount != AMOUNT);
        (uint8 v, bytes32 r, bytes32 s) = _sign(AMOUNT);
        _expectNothingTaken(signer, amount, v, r, s);
    }

    function test_swapWithPermit_ofATokenWithoutOneUsesTheAllowance() public {
        ISwapExecutor.SwapParameters memory params =
            _params(address(tokenA), AMOUNT, address(tokenB));
        ISwapExecutor.Step[] memory steps = _route(_v2Step(pairAb, address(tokenA), WHOLE));
        uint256 quoted = pairAb.quote(address(tokenA), AMOUNT);
        vm.prank(TAKER);
        uint256 amountOut = executor.swapWithPermit(params, steps, block.timestamp, 27, 0, 0);
        vm.assertEq(amountOut, quoted, "amountOut");
    }

    function test_swapWithPermit_takesNothingByAPermitThatDoesNothing() public {
        FallbackToken token = new FallbackToken();
        V2Pair own = _pair(token, tokenB, 3000, 1e24, 1e24);
        token.mint(signer, AMOUNT);
        ISwapExecutor.SwapParameters memory params =
            _params(address(token), AMOUNT, address(tokenB));
        ISwapExecutor.Step[] memory steps = _route(_v2Step(own, address(token), WHOLE));
        vm.prank(signer);
        vm.expectRevert(SafeTransferLib.TransferFromFailed.selector);
        executor.swapWithPermit(params, steps, block.timestamp, 27, 0, 0);
        vm.assertEq(token.balanceOf(signer), AMOUNT, "signer");
    }

    function test_swapWithPermit_isNotEnteredFromThePermit() public {
        ReenteringPermitToken token = new ReenteringPermitToken();
        V2Pair own = _pair(token, tokenB, 3000, 1e24, 1e24);
        token.mint(signer, AMOUNT);
        vm.prank(signer);
        token.approve(address(executor), AMOUNT);
        uint256 quoted = own.quote(address(token), AMOUNT);
        ISwapExecutor.SwapParameters memory params =
            _params(address(token), AMOUNT, address(tokenB));
        ISwapExecutor.Step[] memory steps = _route(_v2Step(own, address(token), WHOLE));
        vm.prank(signer);
        uint256 amountOut = executor.swapWithPermit(params, steps, block.timestamp, 27, 0, 0);
        vm.assertEq(amountOut, quoted, "amountOut");
        vm.assertEq(token.countRefusals(), 3, "refusals");
        _assertNothingHeld();
    }

    function test_swapWithPermit_takesNoNativeCurrency() public {
        ISwapExecutor.SwapParameters memory params = _params(address(0), 0, address(tokenB));
        vm.prank(TAKER);
        vm.expectRevert();
        executor.swapWithPermit(params, new ISwapExecutor.Step[](0), block.timestamp, 27, 0, 0);
    }

    function _sign(uint256 amount) private view returns (uint8 v, bytes32 r, bytes32 s) {
        return vm.sign(
            SIGNER_KEY,
            permitted.permitDigest(signer, address(executor), amount, 0, block.timestamp)
        );
    }

    function _swapAs(address caller, uint256 amount, uint8 v, bytes32 r, bytes32 s)
        private
        returns (uint256)
    {
        ISwapExecutor.SwapParameters memory params =
            _params(address(permitted), amount, address(tokenB));
        ISwapExecutor.Step[] memory steps = _route(_v2Step(pair, address(permitted), WHOLE));
        vm.prank(caller);
        return executor.swapWithPermit(params, steps, block.timestamp, v, r, s);
    }

    function _expectNothingTaken(address caller, uint256 amount, uint8 v, bytes32 r, bytes32 s)
        private
    {
        ISwapExecutor.SwapParameters memory params =
            _params(address(permitted), amount, address(tokenB));
        ISwapExecutor.Step[] memory steps = _route(_v2Step(pair, address(permitted), WHOLE));
        vm.prank(caller);
        vm.expectRevert(SafeTransferLib.TransferFromFailed.selector);
        executor.swapWithPermit(params, steps, block.timestamp, v, r, s);
    }
}
