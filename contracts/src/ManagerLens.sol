// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TickTable} from "./lenses/TickTable.sol";

/// @title ManagerLens
/// @notice Reads pools inside Uniswap v4's PoolManager in bulk. Never deployed: its runtime code is laid
/// over an empty address for the length of one `eth_call`. It reads the manager's storage by `extsload`.
contract ManagerLens {
    struct Found {
        bytes32 id;
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
    }

    struct Tier {
        uint24 fee;
        int24 tickSpacing;
    }

    struct Request {
        bytes32 id;
        int24 tickSpacing;
        int16 fromWord;
    }

    /// @param isFresh0 No swap has paid a fee in currency 0 yet: the first one pays for new storage.
    /// @param nextWord Word of the tick table to go on from when `done` is false: the gas ran short.
    /// @param ticks Two words per initialised tick: tick << 128 | liquidityGross, then liquidityNet.
    struct Managed {
        bool ok;
        bool done;
        bool isFresh0;
        bool isFresh1;
        int16 nextWord;
        uint160 sqrtPriceX96;
        int24 tick;
        uint24 protocolFee;
        uint24 lpFee;
        uint128 liquidity;
        uint256[] ticks;
    }

    uint256 private constant POOLS_SLOT = 6;
    uint256 private constant LIQUIDITY_OFFSET = 3;
    uint256 private constant TICKS_OFFSET = 4;
    uint256 private constant BITMAP_OFFSET = 5;
    uint256 private constant GAS_PER_TICK = 8_000;
    uint256 private constant GAS_RESERVE = 1_500_000;
    uint256 private constant GAS_PER_CALL = 100_000;

    /// @notice Initialised pools without hooks between any currency of `a` and any of `b`.
    /// @param tiers Fees and the tick spacings they go with.
    function findManaged(
        address manager,
        address[] calldata a,
        address[] calldata b,
        Tier[] calldata tiers
    ) external view returns (Found[] memory found) {
        found = new Found[](a.length * b.length * tiers.length);
        uint256 count;
        for (uint256 n = 0; n < found.length; ++n) {
            address one = a[n / tiers.length / b.length];
            address other = b[(n / tiers.length) % b.length];
            if (one == other) continue;
            Found memory pool = _describe(one, other, tiers[n % tiers.length]);
            (, uint256 slot0) = _load(manager, _stateSlot(pool.id));
            if (slot0 != 0) found[count++] = pool;
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    function readManaged(address manager, Request[] calldata requests)
        external
        view
        returns (Managed[] memory out)
    {
        out = new Managed[](requests.length);
        for (uint256 i = 0; i < requests.length; ++i) {
            Managed memory pool = out[i];
            pool.nextWord = requests[i].fromWord;
            if (gasleft() < 2 * GAS_RESERVE) {
                pool.ok = true;
                continue;
            }
            _readHead(pool, manager, _stateSlot(requests[i].id));
            if (pool.ok && requests[i].tickSpacing > 0) _readTicks(pool, manager, requests[i]);
        }
    }

    function _describe(address one, address other, Tier calldata tier)
        private
        pure
        returns (Found memory pool)
    {
        (pool.currency0, pool.currency1) = one < other ? (one, other) : (other, one);
        (pool.fee, pool.tickSpacing) = (tier.fee, tier.tickSpacing);
        pool.id = keccak256(
            abi.encode(pool.currency0, pool.currency1, pool.fee, pool.tickSpacing, address(0))
        );
    }

    function _stateSlot(bytes32 id) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(id, POOLS_SLOT)));
    }

    function _readHead(Managed memory pool, address manager, uint256 slot) private view {
        (bool ok, uint256 word) = _load(manager, slot);
        pool.sqrtPriceX96 = uint160(word);
        pool.tick = int24(int256(word >> 160));
        pool.protocolFee = uint24(word >> 184);
        pool.lpFee = uint24(word >> 208);
        pool.ok = ok && pool.sqrtPriceX96 != 0;
        (, word) = _load(manager, slot + LIQUIDITY_OFFSET);
        pool.liquidity = uint128(word);
        (, word) = _load(manager, slot + 1);
        pool.isFresh0 = word == 0;
        (, word) = _load(manager, slot + 2);
        pool.isFresh1 = word == 0;
    }

    function _readTicks(Managed memory pool, address manager, Request calldata request)
        private
        view
    {
        uint256 slot = _stateSlot(request.id);
        TickTable.Found memory found = TickTable.find(
            TickTable.Walk({
                readWord: _loadWord,
                source: manager,
                key: slot + BITMAP_OFFSET,
                scale: request.tickSpacing,
                from: request.fromWord,
                gasReserve: GAS_RESERVE,
                gasPerTick: GAS_PER_TICK
            })
        );
        // Words of the narrowest spacing are within some thousands.
        pool.nextWord = int16(found.nextWord);
        pool.done = found.done;
        pool.ticks = new uint256[](2 * found.ticks.length);
        unchecked {
            for (uint256 i = 0; i < found.ticks.length; ++i) {
                int256 tick = found.ticks[i];
                uint256 liquidity = _loadMapped(manager, tick, slot + TICKS_OFFSET);
                pool.ticks[2 * i] = (uint256(tick) << 128) | uint128(liquidity);
                pool.ticks[2 * i + 1] = liquidity >> 128;
            }
        }
    }

    /// @dev What the manager does not answer has no ticks.
    function _loadWord(address manager, uint256 slot, int256 word)
        private
        view
        returns (bool, uint256)
    {
        return (true, _loadMapped(manager, word, slot));
    }

    function _loadMapped(address manager, int256 key, uint256 slot)
        private
        view
        returns (uint256 word)
    {
        uint256 mapped;
        assembly ("memory-safe") {
            mstore(0, key)
            mstore(32, slot)
            mapped := keccak256(0, 64)
        }
        (, word) = _load(manager, mapped);
    }

    /// @dev extsload(bytes32). Yul evaluates arguments from right to left: the call comes first.
    function _load(address manager, uint256 slot) private view returns (bool ok, uint256 word) {
        assembly ("memory-safe") {
            mstore(0, shl(224, 0x1e2eaeaf))
            mstore(4, slot)
            ok := and(gt(returndatasize(), 31), staticcall(GAS_PER_CALL, manager, 0, 36, 0, 32))
            if ok { word := mload(0) }
        }
    }
}
