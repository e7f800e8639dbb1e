// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BoundedReads} from "./BoundedReads.sol";
import {TickTable} from "./TickTable.sol";

/// @title RangeReads
/// @notice Concentrated liquidity: a pool's head and its initialised ticks, as far as the gas goes.
abstract contract RangeReads is BoundedReads {
    /// @param from Word of the tick table, or tick of the list of ticks, to begin at.
    /// @param shape Whose views the pool has: 0 Uniswap v3's, 1 Algebra 1.9's, 2 Algebra Integral's.
    struct RangeRequest {
        address pool;
        int24 from;
        uint8 shape;
    }

    /// @param isFresh0 No swap has paid a fee in token 0 yet: the first one pays for new storage.
    /// @param next Where to go on from when `done` is false: the gas ran short.
    /// @param feePips Of token 0 going in; `feePips1` of token 1.
    /// @param ticks Two words per initialised tick: tick << 128 | liquidityGross, then liquidityNet.
    struct Range {
        bool ok;
        bool done;
        bool isFresh0;
        bool isFresh1;
        int24 next;
        uint160 sqrtPriceX96;
        int24 tick;
        uint128 liquidity;
        int24 tickSpacing;
        uint24 feePips;
        uint24 feePips1;
        address token0;
        address token1;
        uint256[] ticks;
    }

    uint8 private constant UNISWAP_V3 = 0;
    uint8 private constant ALGEBRA_DIRECTIONAL = 1;
    uint8 private constant ALGEBRA_INTEGRAL = 2;
    int256 private constant MAX_TICK = TickTable.MAX_TICK;
    uint256 private constant MAX_LISTED = 1024;
    uint256 private constant GAS_PER_TICK = 16_000;
    /// @dev To write the answer down with, and one more call.
    uint256 private constant GAS_RESERVE = 1_500_000;
    /// @dev To write down what was read of one pool.
    uint256 private constant GAS_TO_TELL = 900_000;
    /// @dev Of a pool's head, its fees included.
    uint256 private constant HEAD_CALLS = 9;

    function readRanges(RangeRequest[] calldata requests)
        external
        view
        returns (Range[] memory out)
    {
        out = new Range[](requests.length);
        for (uint256 i = 0; i < requests.length; ++i) {
            Range memory range = out[i];
            range.next = requests[i].from;
            if (!_hasGasFor(HEAD_CALLS)) {
                range.ok = true;
                continue;
            }
            _readHead(range, requests[i]);
            if (!range.ok) continue;
            if (requests[i].shape == ALGEBRA_INTEGRAL) _walkTicks(range, requests[i]);
            else _readTicks(range, requests[i]);
        }
    }

    function _readHead(Range memory range, RangeRequest calldata request) private view {
        address pool = request.pool;
        bool isUniswap = request.shape == UNISWAP_V3;
        // slot0() or globalState(): forks differ after the first two words.
        (bool ok, uint256 price, uint256 tick) = _read2(pool, isUniswap ? 0x3850c7bd : 0xe76c01e4);
        // A word that is wider than its field is no pool's.
        if (!ok || price >> 160 != 0 || !_isTick(int256(tick))) return;
        range.sqrtPriceX96 = uint160(price);
        range.tick = int24(int256(tick));
        uint256 word;
        (ok, word,) = _read2(pool, 0x1a686502);
        if (!ok || word >> 128 != 0) return;
        range.liquidity = uint128(word);
        (ok, word,) = _read2(pool, 0xd0c93a7c);
        if (!ok || word == 0 || word > uint256(MAX_TICK)) return;
        range.tickSpacing = int24(int256(word));
        (ok, range.token0) = _readAddress(pool, 0x0dfe1681);
        if (!ok) return;
        (ok, range.token1) = _readAddress(pool, 0xd21220a7);
        if (!ok) return;
        range.ok = _readFees(range, request);
        bool each;
        (each, word,) = _read2(pool, isUniswap ? 0xf3058399 : 0x6378ae44);
        range.isFresh0 = each && word == 0;
        (each, word,) = _read2(pool, isUniswap ? 0x46141319 : 0xecdecf42);
        range.isFresh1 = each && word == 0;
    }

    function _isTick(int256 tick) private pure returns (bool) {
        return tick >= -MAX_TICK && tick <= MAX_TICK;
    }

    function _readAddress(address pool, uint256 selector) private view returns (bool, address) {
        (bool ok, uint256 word,) = _read2(pool, selector);
        return (ok && word >> 160 == 0, address(uint160(word)));
    }

    function _readFees(Range memory range, RangeRequest calldata request)
        private
        view
        returns (bool ok)
    {
        if (request.shape != ALGEBRA_DIRECTIONAL) {
            uint256 word;
            (ok, word,) = _read2(request.pool, 0xddca3f43);
            (range.feePips, range.feePips1) = (uint24(word), uint24(word));
            return ok && word >> 24 == 0;
        }
        bytes memory state = _call(request.pool, abi.encodeWithSelector(0xe76c01e4), 128);
        if (state.length < 128) return false;
        uint256 other;
        uint256 fee;
        (,, fee, other) = abi.decode(state, (uint256, int256, uint256, uint256));
        (range.feePips, range.feePips1) = (uint24(fee), uint24(other));
        return (fee | other) >> 24 == 0;
    }

    /// @dev Algebra Integral links its initialised ticks; the extreme ones are always in the list.
    function _walkTicks(Range memory range, RangeRequest calldata request) private view {
        int256 tick = request.from < -MAX_TICK ? -MAX_TICK : int256(request.from);
        uint256[] memory words = new uint256[](2 * MAX_LISTED);
        uint256 count;
        while (count < 2 * MAX_LISTED && _hasGasFor(1)) {
            bytes memory info = _call(request.pool, abi.encodeWithSelector(0xf30dba93, tick), 128);
            if (info.length < 128) {
                range.ok = false;
                break;
            }
            (uint256 gross, uint256 net,, int256 next) =
                abi.decode(info, (uint256, uint256, uint256, int256));
            if (gross != 0) {
                words[count++] = (uint256(tick) << 128) | uint128(gross);
                words[count++] = net;
            }
            if (tick >= MAX_TICK || next <= tick) {
                range.done = true;
                break;
            }
            tick = next > MAX_TICK ? MAX_TICK : next;
        }
        range.next = int24(tick);
        assembly ("memory-safe") {
            mstore(words, count)
        }
        range.ticks = words;
    }

    function _readTicks(Range memory range, RangeRequest calldata request) private view {
        bool isUniswap = request.shape == UNISWAP_V3;
        TickTable.Found memory found = TickTable.find(
            TickTable.Walk({
                readWord: _tickBitmap,
                source: request.pool,
                // tickBitmap(int16) or tickTable(int16)
                key: isUniswap ? 0x5339c296 : 0xc677e3e0,
                scale: isUniswap ? int256(range.tickSpacing) : int256(1),
                from: request.from,
                gasReserve: GAS_RESERVE,
                gasPerTick: GAS_PER_TICK
            })
        );
        range.ok = found.ok;
        if (!found.ok) return;
        // Words of the narrowest spacing are within some thousands.
        range.next = int24(found.nextWord);
        range.done = found.done;
        _fillTicks(range, request.pool, found.ticks);
    }

    function _fillTicks(Range memory range, address pool, int256[] memory ticks) private view {
        uint256[] memory filled = new uint256[](2 * ticks.length);
        unchecked {
            for (uint256 i = 0; i < ticks.length; ++i) {
                int256 tick = ticks[i];
                (bool ok, uint256 gross, uint256 net) = _ticks(pool, tick);
                if (!ok || gross >> 128 != 0 || !_isTick(tick) || gasleft() < GAS_TO_TELL) {
                    // Its ticks are none, or cost more than it had been given for them.
                    range.ok = false;
                    return;
                }
                filled[2 * i] = (uint256(tick) << 128) | uint128(gross);
                filled[2 * i + 1] = net;
            }
        }
        range.ticks = filled;
    }

    function _tickBitmap(address pool, uint256 selector, int256 word)
        private
        view
        returns (bool ok, uint256 bits)
    {
        assembly ("memory-safe") {
            mstore(0, shl(224, selector))
            mstore(4, word)
            ok := and(gt(returndatasize(), 31), staticcall(GAS_PER_CALL, pool, 0, 36, 0, 32))
            if ok { bits := mload(0) }
        }
    }

    function _ticks(address pool, int256 tick)
        private
        view
        returns (bool ok, uint256 gross, uint256 net)
    {
        assembly ("memory-safe") {
            mstore(0, shl(224, 0xf30dba93))
            mstore(4, tick)
            ok := and(gt(returndatasize(), 63), staticcall(GAS_PER_CALL, pool, 0, 36, 0, 64))
            if ok {
                gross := mload(0)
                net := mload(32)
            }
        }
    }
}
