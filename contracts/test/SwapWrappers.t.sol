// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {StepKinds} from "../src/swaps/StepKinds.sol";
import {FamilyWorld} from "./base/FamilyWorld.sol";
import {AToken, AaveMarket, Psm, Vault} from "./pools/Wrappers.sol";
import {TestToken} from "./tokens/TestToken.sol";

/// @notice Vaults, markets and 1:1 swappers as steps: what they give, what the executor keeps, attacks.
contract SwapWrappersTest is FamilyWorld {
    uint256 private constant RAY = 1e27;

    function test_fuzz_erc4626_depositsAndRedeems(uint256 amountIn) public {
        amountIn = _bound(amountIn, 2, 1e23);
        Vault vault = new Vault(tokenA);
        tokenA.mint(address(vault), 1e24);
        ISwapExecutor.Step memory deposit =
            _stepOf(StepKinds.ERC4626, address(vault), tokenA, vault, "");
        uint256 shares = _sell(TAKER, deposit, amountIn);
        vm.assertEq(shares, amountIn * 1e18 / 1.07e18, "shares");
        ISwapExecutor.Step memory redeem =
            _stepOf(StepKinds.ERC4626, address(vault), vault, tokenA, "");
        uint256 assets = _sell(RECIPIENT, redeem, shares);
        vm.assertEq(assets, shares * 1.07e18 / 1e18, "assets");
    }

    function test_erc4626_isOneStepOfALongerRoute() public {
        Vault vault = new Vault(tokenB);
        ISwapExecutor.Step memory deposit =
            _stepOf(StepKinds.ERC4626, address(vault), tokenB, vault, "");
        uint256 shares = _swap(
            _params(address(tokenA), 1e18, address(vault)),
            _route(_v2Step(pairAb, address(tokenA), WHOLE), deposit)
        );
        vm.assertEq(vault.balanceOf(RECIPIENT), shares, "recipient");
        vm.assertTrue(shares > 0, "shares");
        _assertLeftNothing(vault, address(vault));
    }

    function test_fuzz_aaveV3_suppliesAndWithdraws(uint256 amountIn, uint256 index) public {
        amountIn = _bound(amountIn, 10, 1e23);
        AaveMarket market = new AaveMarket(tokenA);
        AToken aToken = market.A_TOKEN();
        index = _bound(index, RAY, 3 * RAY);
        market.setIndex(index);
        ISwapExecutor.Step memory supply =
            _stepOf(StepKinds.AAVE_V3, address(market), tokenA, aToken, abi.encode(true));
        uint256 minted = _sell(TAKER, supply, amountIn);
        vm.assertEq(minted, (amountIn * RAY / index) * index / RAY, "minted");
        vm.assertEq(aToken.scaledBalanceOf(address(executor)), 0, "dust of shares");
        // What comes in rounds up: the executor may have a wei more to withdraw than was sold.
        uint256 arrived = ((minted * RAY + index - 1) / index) * index / RAY;
        ISwapExecutor.Step memory withdraw =
            _stepOf(StepKinds.AAVE_V3, address(market), aToken, tokenA, abi.encode(false));
        uint256 withdrawn = _sell(RECIPIENT, withdraw, minted);
        vm.assertEq(withdrawn, arrived, "withdrawn");
        vm.assertEq(aToken.scaledBalanceOf(address(executor)), 0, "dust of shares");
    }

    function test_fuzz_psm3(uint256 amountIn) public {
        amountIn = _bound(amountIn, 1, 1e23);
        Psm psm = new Psm();
        _stock(address(psm));
        ISwapExecutor.Step memory swap = _stepOf(StepKinds.PSM3, address(psm), tokenA, tokenB, "");
        vm.assertEq(_sell(TAKER, swap, amountIn), amountIn, "out");
    }

    // Attacks

    function test_vaultThatReenters_isRefused() public {
        EvilVault evil = new EvilVault(tokenA, executor);
        evil.arm(EvilVault.Trick.Reenter);
        _swap(
            _params(address(tokenA), 1e18, address(evil)),
            _route(_stepOf(StepKinds.ERC4626, address(evil), tokenA, evil, ""))
        );
        vm.assertTrue(evil.wasRefused(), "refused");
        _assertLeftNothing(evil, address(evil));
    }

    function test_vaultThatGivesLess_isJudgedByMinAmountOut() public {
        EvilVault evil = new EvilVault(tokenA, executor);
        evil.arm(EvilVault.Trick.KeepAPart);
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1e18, address(evil));
        params.minAmountOut = 1e18;
        _expectRevert(
            abi.encodeWithSelector(ISwapExecutor.InsufficientOutput.selector, 0.9e18, 1e18),
            params,
            _route(_stepOf(StepKinds.ERC4626, address(evil), tokenA, evil, ""))
        );
    }

    /// @dev It leaves its allowance unused and comes back for it: gone.
    function test_vaultThatTakesNothing_findsNoAllowanceLater() public {
        EvilVault evil = new EvilVault(tokenA, executor);
        evil.arm(EvilVault.Trick.TakeNothing);
        _swap(
            _params(address(tokenA), 1e18, address(evil)),
            _route(_stepOf(StepKinds.ERC4626, address(evil), tokenA, evil, ""))
        );
        vm.assertEq(tokenA.balanceOf(RECIPIENT), 1e18, "all came back");
        tokenA.mint(address(executor), 5e18);
        vm.assertTrue(!evil.take(5e18), "no allowance");
    }

    function test_vaultThatTakesMore_getsTheStepsShareAlone() public {
        EvilVault evil = new EvilVault(tokenA, executor);
        evil.arm(EvilVault.Trick.TakeMore);
        ISwapExecutor.Step memory step = _stepOf(StepKinds.ERC4626, address(evil), tokenA, evil, "");
        step.share = WHOLE / 2;
        vm.prank(TAKER);
        vm.expectRevert(TestToken.InsufficientAllowance.selector);
        executor.swap(_params(address(tokenA), 10e18, address(evil)), _route(step));
    }

    /// @dev A vault may say that the executor's shares of another vault are its own: it holds none.
    function test_redeem_burnsNobodyElsesShares() public {
        Vault vault = new Vault(tokenA);
        tokenA.mint(address(vault), 1e24);
        vm.prank(TAKER);
        tokenA.approve(address(vault), 1e18);
        vm.prank(TAKER);
        vault.deposit(1e18, TAKER);
        uint256 shares = vault.balanceOf(TAKER);
        vm.prank(TAKER);
        vault.approve(address(executor), shares);
        ISwapExecutor.Step memory step =
            _stepOf(StepKinds.ERC4626, address(vault), vault, tokenA, "");
        // A stranger has nothing to sell, whatever others have approved.
        vm.prank(address(0xBAD));
        vm.expectRevert();
        executor.swap(_params(address(vault), shares, address(tokenA)), _route(step));
        vm.assertEq(vault.balanceOf(TAKER), shares, "the taker's shares");
    }

    /// @dev TAKER sells to RECIPIENT, who sells what it was given back to TAKER.
    function _sell(address seller, ISwapExecutor.Step memory step, uint256 amountIn)
        private
        returns (uint256 amountOut)
    {
        (TestToken tokenIn, TestToken tokenOut) =
            (TestToken(step.tokenIn), TestToken(step.tokenOut));
        ISwapExecutor.SwapParameters memory params = _params(step.tokenIn, amountIn, step.tokenOut);
        if (seller == RECIPIENT) params.recipient = TAKER;
        uint256 heldBefore = tokenOut.balanceOf(params.recipient);
        vm.prank(seller);
        tokenIn.approve(address(executor), amountIn);
        vm.prank(seller);
        amountOut = executor.swap(params, _route(step));
        vm.assertEq(tokenOut.balanceOf(params.recipient) - heldBefore, amountOut, "recipient");
        _assertLeftNothing(tokenIn, step.pool);
        _assertLeftNothing(tokenOut, step.pool);
    }

    function _stepOf(
        uint8 kind,
        address pool,
        TestToken tokenIn,
        TestToken tokenOut,
        bytes memory data
    ) private pure returns (ISwapExecutor.Step memory) {
        return ISwapExecutor.Step({
            kind: kind,
            pool: pool,
            tokenIn: address(tokenIn),
            tokenOut: address(tokenOut),
            share: WHOLE,
            data: data
        });
    }

    function _assertLeftNothing(TestToken wrapped, address pool) private view {
        vm.assertEq(wrapped.balanceOf(address(executor)), 0, "executor's wrapped");
        vm.assertEq(tokenA.allowance(address(executor), pool), 0, "allowance");
        _assertNothingHeld();
    }
}

/// @notice A vault under an attacker's control.
contract EvilVault is Vault {
    enum Trick {
        Reenter,
        KeepAPart,
        TakeNothing,
        TakeMore
    }

    ISwapExecutor private immutable EXECUTOR;
    Trick private _trick;
    bool public wasRefused;

    constructor(TestToken asset, ISwapExecutor executor) Vault(asset) {
        EXECUTOR = executor;
    }

    function arm(Trick trick) external {
        _trick = trick;
    }

    function take(uint256 amount) external returns (bool taken) {
        bytes memory data =
            abi.encodeCall(TestToken.transferFrom, (address(EXECUTOR), address(this), amount));
        (taken,) = address(ASSET).call(data);
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        if (_trick == Trick.TakeNothing) return assets;
        if (_trick == Trick.Reenter) _reenter();
        uint256 taken = _trick == Trick.TakeMore ? assets + 1 : assets;
        ASSET.transferFrom(msg.sender, address(this), taken);
        _balances[receiver] += assets * 9 / 10;
        return assets;
    }

    /// @dev Whoever enters again would be paid all that the executor holds of this caller.
    function _reenter() private {
        ISwapExecutor.SwapParameters memory params = ISwapExecutor.SwapParameters({
            tokenIn: address(this),
            amountIn: 0,
            tokenOut: address(ASSET),
            minAmountOut: 0,
            recipient: address(this),
            deadline: block.timestamp
        });
        try EXECUTOR.swap(params, new ISwapExecutor.Step[](0)) {}
        catch {
            wasRefused = true;
        }
    }
}
