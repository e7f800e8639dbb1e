// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {QuotaManager} from "../src/QuotaManager.sol";
import {UserProxyFactoryV6} from "../src/UserProxyFactoryV6.sol";
import {UserProxyV6} from "../src/UserProxyV6.sol";
import {ISwapExecutor} from "../src/interfaces/ISwapExecutor.sol";
import {IUserProxyV6} from "../src/interfaces/IUserProxyV6.sol";
import {StepKinds} from "../src/swaps/StepKinds.sol";
import {FamilyWorld} from "./base/FamilyWorld.sol";
import {Psm, Vault} from "./pools/Wrappers.sol";
import {PaymentToken} from "./tokens/PaymentToken.sol";

/// @notice Gas of the calls people send, recorded in snapshots/ and compared by contracts:check.
/// The calls are measured without the transaction's own 21,000 and calldata, on the pools of the tests.
contract GasTest is FamilyWorld {
    uint256 private constant TRANSACTION = 21_000;

    function test_gas_deployProxy() public {
        UserProxyFactoryV6 factory = new UserProxyFactoryV6(address(new UserProxyV6()));
        factory.deploy(TAKER);
        uint256 gas = vm.snapshotGasLastCall("UserProxyFactoryV6", "deploy");
        // 36 bytes of calldata cost 576 at most.
        vm.assertLe(gas + TRANSACTION + 576, 80_000, "deploy within the sponsored budget");
        factory.deploy(TAKER);
        vm.snapshotGasLastCall("UserProxyFactoryV6", "deploy again");
    }

    function test_gas_executeThroughProxy() public {
        UserProxyFactoryV6 factory = new UserProxyFactoryV6(address(new UserProxyV6()));
        IUserProxyV6 proxy = IUserProxyV6(factory.deploy(TAKER));
        ISwapExecutor.SwapParameters memory params = _params(address(tokenA), 1e18, address(tokenB));
        params.recipient = TAKER;
        IUserProxyV6.Swap memory swap = IUserProxyV6.Swap({
            tokenIn: address(tokenA),
            amountIn: 1e18,
            tokenOut: address(tokenB),
            minOut: 1,
            spender: address(executor),
            target: address(executor),
            data: abi.encodeCall(
                ISwapExecutor.swap, (params, _route(_v2Step(pairAb, address(tokenA), WHOLE)))
            ),
            deadline: block.timestamp
        });
        vm.startPrank(TAKER);
        tokenA.approve(address(proxy), type(uint256).max);
        proxy.execute(swap);
        vm.stopPrank();
        vm.snapshotGasLastCall("UserProxyV6", "execute one v2 hop");
    }

    function test_gas_swapOneV2Hop() public {
        _measure(_route(_v2Step(pairAb, address(tokenA), WHOLE)), "1 hop, v2");
    }

    function test_gas_swapOneV2HopWithPermit() public {
        PaymentToken permitted = new PaymentToken();
        address signer = vm.addr(1);
        permitted.mint(signer, 1e18);
        bytes32 digest = permitted.permitDigest(signer, address(executor), 1e18, 0, block.timestamp);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, digest);
        ISwapExecutor.SwapParameters memory params =
            _params(address(permitted), 1e18, address(tokenB));
        ISwapExecutor.Step[] memory steps =
            _route(_v2Step(_pair(permitted, tokenB, 3000, 1e24, 1e24), address(permitted), WHOLE));
        vm.prank(signer);
        executor.swapWithPermit(params, steps, block.timestamp, v, r, s);
        vm.snapshotGasLastCall("SwapExecutor", "1 hop, v2, with a permit");
    }

    function test_gas_swapOneV3Hop() public {
        _measure(_route(_v3Step(poolAb, address(tokenA), WHOLE)), "1 hop, v3 (fixture pool)");
    }

    function test_gas_swapTwoV2Hops() public {
        ISwapExecutor.Step[] memory steps = _route(
            _v2Step(pairAb, address(tokenA), WHOLE), _v2Step(pairBc, address(tokenB), WHOLE)
        );
        _swap(_params(address(tokenA), 1e18, address(tokenC)), steps);
        vm.snapshotGasLastCall("SwapExecutor", "2 hops, v2");
    }

    function test_gas_swapSplit() public {
        ISwapExecutor.Step[] memory steps = _route(
            _v2Step(pairAb, address(tokenA), WHOLE / 2), _v3Step(poolAb, address(tokenA), WHOLE)
        );
        _measure(steps, "split, v2 and v3");
    }

    function test_gas_swapOneSolidlyHop() public {
        _measure(_route(_solidly()), "1 hop, solidly (fixture pool)");
    }

    function test_gas_swapOneUniswapV4Hop() public {
        _measure(_route(_uniswapV4()), "1 hop, v4 (fixture pool)");
    }

    function test_gas_swapOneBalancerV2Hop() public {
        _measure(_route(_balancerV2()), "1 hop, balancer v2 (fixture pool)");
    }

    function test_gas_swapOneBalancerV3Hop() public {
        _measure(_route(_balancerV3()), "1 hop, balancer v3 (fixture pool)");
    }

    function test_gas_swapOneCurveStableHop() public {
        _measure(_route(_curveStable()), "1 hop, curve stable (fixture pool)");
    }

    function test_gas_swapOneCurveCryptoHop() public {
        _measure(_route(_curveCrypto()), "1 hop, curve crypto (fixture pool)");
    }

    function test_gas_swapOneLiquidityBookHop() public {
        _measure(_route(_liquidityBook()), "1 hop, liquidity book (fixture pool)");
    }

    function test_gas_swapOneMaverickHop() public {
        _measure(_route(_maverick(true)), "1 hop, maverick v2 (fixture pool)");
    }

    function test_gas_swapOneDodoHop() public {
        _measure(_route(_dodo(true)), "1 hop, dodo v2 (fixture pool)");
    }

    function test_gas_swapOneWooFiHop() public {
        _measure(_route(_wooFi()), "1 hop, woofi (fixture pool)");
    }

    function test_gas_swapOneTridentHop() public {
        _measure(_route(_trident()), "1 hop, trident (fixture pool)");
    }

    function test_gas_swapOneFluidHop() public {
        _measure(_route(_fluid()), "1 hop, fluid (fixture pool)");
    }

    function test_gas_swapOneVaultHop() public {
        ISwapExecutor.Step memory step = _step(StepKinds.ERC4626, address(new Vault(tokenA)), "");
        step.tokenOut = step.pool;
        _swap(_params(address(tokenA), 1e18, step.pool), _route(step));
        vm.snapshotGasLastCall("SwapExecutor", "1 hop, erc-4626 deposit (fixture vault)");
    }

    function test_gas_swapOnePsmHop() public {
        Psm psm = new Psm();
        _stock(address(psm));
        _measure(_route(_step(StepKinds.PSM3, address(psm), "")), "1 hop, psm3 (fixture pool)");
    }

    function test_gas_buyQuota() public {
        PaymentToken usdc = new PaymentToken();
        QuotaManager manager = new QuotaManager(address(usdc), 100, RECIPIENT, address(executor));
        usdc.mint(address(manager), 1);
        usdc.mint(TAKER, 1e12);
        vm.startPrank(TAKER);
        usdc.approve(address(manager), type(uint256).max);
        manager.buyWithUSDC(1e6);
        vm.snapshotGasLastCall("QuotaManager", "buyWithUSDC");
        manager.buyFor(keccak256("key"), 10_000);
        vm.snapshotGasLastCall("QuotaManager", "buyFor");
        vm.stopPrank();
    }

    function _measure(ISwapExecutor.Step[] memory steps, string memory name) private {
        _swap(_params(address(tokenA), 1e18, address(tokenB)), steps);
        vm.snapshotGasLastCall("SwapExecutor", name);
    }
}
