// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISwapExecutor} from "../../src/interfaces/ISwapExecutor.sol";
import {IPoolManager} from "../../src/interfaces/IVaults.sol";
import {StepKinds} from "../../src/swaps/StepKinds.sol";
import {
    BentoBox,
    DodoPool,
    LiquidityBookPair,
    SolidlyPair,
    TridentPool,
    WooPool
} from "../pools/PaidFirstPools.sol";
import {
    BalancerV2Vault,
    CurveCryptoPool,
    CurveStablePool,
    FluidLiquidity,
    FluidPool
} from "../pools/PullingPools.sol";
import {BalancerV3Vault, MaverickPool, PoolManager} from "../pools/Vaults.sol";
import {ExecutorWorld} from "./ExecutorWorld.sol";

/// @notice One stocked pool of each family, as a step that sells all of token A for token B.
abstract contract FamilyWorld is ExecutorWorld {
    function _solidly() internal returns (ISwapExecutor.Step memory) {
        SolidlyPair pair = new SolidlyPair(address(tokenA), address(tokenB), 500);
        _stock(address(pair));
        pair.sync();
        return _step(StepKinds.SOLIDLY, address(pair), "");
    }

    function _liquidityBook() internal returns (ISwapExecutor.Step memory) {
        LiquidityBookPair pair = new LiquidityBookPair(address(tokenB), address(tokenA));
        _stock(address(pair));
        pair.sync();
        return _step(StepKinds.LIQUIDITY_BOOK, address(pair), abi.encode(false));
    }

    function _dodo(bool sellsBase) internal returns (ISwapExecutor.Step memory) {
        (address base, address quoteToken) =
            sellsBase ? (address(tokenA), address(tokenB)) : (address(tokenB), address(tokenA));
        DodoPool pool = new DodoPool(base, quoteToken);
        _stock(address(pool));
        pool.sync();
        return _step(StepKinds.DODO_V2, address(pool), abi.encode(sellsBase));
    }

    function _wooFi() internal returns (ISwapExecutor.Step memory) {
        WooPool pool = new WooPool(address(tokenA), address(tokenB));
        _stock(address(pool));
        pool.sync();
        return _step(StepKinds.WOOFI, address(pool), "");
    }

    function _trident() internal returns (ISwapExecutor.Step memory) {
        BentoBox bento = new BentoBox();
        TridentPool pool = new TridentPool(address(tokenA), address(tokenB), bento);
        _stock(address(bento));
        bento.deposit(address(tokenA), address(bento), address(pool), 1e24, 0);
        bento.deposit(address(tokenB), address(bento), address(pool), 1e24, 0);
        pool.sync();
        return _step(StepKinds.TRIDENT, address(pool), abi.encode(address(bento)));
    }

    function _curveStable() internal returns (ISwapExecutor.Step memory) {
        CurveStablePool pool = new CurveStablePool(_coins());
        _stock(address(pool));
        return
            _step(StepKinds.CURVE_STABLE, address(pool), abi.encode(uint256(2), uint256(1), false));
    }

    function _curveCrypto() internal returns (ISwapExecutor.Step memory) {
        CurveCryptoPool pool = new CurveCryptoPool(_coins());
        _stock(address(pool));
        return _step(StepKinds.CURVE_CRYPTO, address(pool), abi.encode(uint256(2), uint256(1)));
    }

    function _balancerV2() internal returns (ISwapExecutor.Step memory) {
        BalancerV2Vault vault = new BalancerV2Vault();
        _stock(address(vault));
        vault.register(keccak256("pool"));
        return _step(StepKinds.BALANCER_V2, address(vault), abi.encode(keccak256("pool")));
    }

    function _fluid() internal returns (ISwapExecutor.Step memory) {
        FluidPool pool = new FluidPool(address(tokenA), address(tokenB), new FluidLiquidity());
        _stock(address(pool));
        return _step(StepKinds.FLUID, address(pool), abi.encode(true, false));
    }

    function _uniswapV4() internal returns (ISwapExecutor.Step memory) {
        PoolManager manager = new PoolManager();
        _stock(address(manager));
        return
            _step(StepKinds.UNISWAP_V4, address(manager), _v4Data(address(tokenA), address(tokenB)));
    }

    function _balancerV3() internal returns (ISwapExecutor.Step memory) {
        BalancerV3Vault vault = new BalancerV3Vault();
        _stock(address(vault));
        vault.sync(address(tokenA));
        vault.sync(address(tokenB));
        return _step(StepKinds.BALANCER_V3, address(vault), abi.encode(address(0x9001)));
    }

    function _maverick(bool tokenAIn) internal returns (ISwapExecutor.Step memory) {
        MaverickPool pool = tokenAIn
            ? new MaverickPool(address(tokenA), address(tokenB))
            : new MaverickPool(address(tokenB), address(tokenA));
        _stock(address(pool));
        return _step(StepKinds.MAVERICK_V2, address(pool), abi.encode(tokenAIn));
    }

    function _step(uint8 kind, address pool, bytes memory data)
        internal
        view
        returns (ISwapExecutor.Step memory)
    {
        return ISwapExecutor.Step({
            kind: kind,
            pool: pool,
            tokenIn: address(tokenA),
            tokenOut: address(tokenB),
            share: WHOLE,
            data: data
        });
    }

    function _stock(address pool) internal {
        tokenA.mint(pool, 1e24);
        tokenB.mint(pool, 1e24);
    }

    function _v4Data(address a, address b) internal pure returns (bytes memory) {
        (address currency0, address currency1) = a < b ? (a, b) : (b, a);
        IPoolManager.PoolKey memory key = IPoolManager.PoolKey({
            currency0: currency0, currency1: currency1, fee: 500, tickSpacing: 10, hooks: address(0)
        });
        return abi.encode(key, "");
    }

    function _coins() private view returns (address[] memory coins) {
        coins = new address[](3);
        (coins[0], coins[1], coins[2]) = (address(tokenC), address(tokenB), address(tokenA));
    }
}
