// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BoundedReads} from "./BoundedReads.sol";

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
    int24 private constant MAX_TICK = 887_272;
    uint256 private constant MAX_LISTED = 1024;
    uint256 private constant GAS_PER_TICK = 16_000;
    uint256 private constant MAX_HITS = 512;
    uint256 private constant GAS_RESERVE = 1_500_000;

    function readRanges(RangeRequest[] calldata requests)
        external
        view
        returns (Range[] memory out)
    {
        out = new Range[](requests.length);
        for (uint256 i = 0; i < requests.length; ++i) {
            Range memory range = out[i];
            range.next = requests[i].from;
            if (gasleft() < 2 * GAS_RESERVE) {
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
        range.sqrtPriceX96 = uint160(price);
        range.tick = int24(int256(tick));
        bool each;
        uint256 word;
        (each, word,) = _read2(pool, 0x1a686502);
        range.liquidity = uint128(word);
        ok = ok && each;
        (each, word,) = _read2(pool, 0xd0c93a7c);
        range.tickSpacing = int24(int256(word));
        ok = ok && each && range.tickSpacing > 0;
        (each, word,) = _read2(pool, 0x0dfe1681);
        range.token0 = address(uint160(word));
        ok = ok && each;
        (each, word,) = _read2(pool, 0xd21220a7);
        range.token1 = address(uint160(word));
        range.ok = ok && each && _readFees(range, request);
        (each, word,) = _read2(pool, isUniswap ? 0xf3058399 : 0x6378ae44);
        range.isFresh0 = each && word == 0;
        (each, word,) = _read2(pool, isUniswap ? 0x46141319 : 0xecdecf42);
        range.isFresh1 = each && word == 0;
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
            return ok;
        }
        bytes memory state = _call(request.pool, abi.encodeWithSelector(0xe76c01e4), 128);
        if (state.length < 128) return false;
        uint256 other;
        uint256 fee;
        (,, fee, other) = abi.decode(state, (uint256, int256, uint256, uint256));
        (range.feePips, range.feePips1) = (uint24(fee), uint24(other));
        return true;
    }

    /// @dev Algebra Integral links its initialised ticks; the extreme ones are always in the list.
    function _walkTicks(Range memory range, RangeRequest calldata request) private view {
        int24 tick = request.from < -MAX_TICK ? -MAX_TICK : request.from;
        uint256[] memory words = new uint256[](2 * MAX_LISTED);
        uint256 count;
        while (count < 2 * MAX_LISTED && gasleft() > GAS_RESERVE) {
            bytes memory info = _call(request.pool, abi.encodeWithSelector(0xf30dba93, tick), 128);
            if (info.length < 128) {
                range.ok = false;
                break;
            }
            (uint256 gross, uint256 net,, int256 next) =
                abi.decode(info, (uint256, uint256, uint256, int256));
            if (gross != 0) {
                words[count++] = (uint256(int256(tick)) << 128) | uint128(gross);
                words[count++] = net;
            }
            if (tick >= MAX_TICK || next <= tick) {
                range.done = true;
                break;
            }
            tick = int24(next);
        }
        range.next = tick;
        assembly ("memory-safe") {
            mstore(words, count)
        }
        range.ticks = words;
    }

    function _readTicks(Range memory range, RangeRequest calldata request) private view {
        int24 scale = request.shape == UNISWAP_V3 ? range.tickSpacing : int24(1);
        int24 perWord = scale * 256;
        int16 first = int16(-((MAX_TICK + perWord - 1) / perWord));
        int16 last = int16(MAX_TICK / perWord);
        if (request.from > first) first = int16(request.from);
        if (first > last) {
            range.done = true;
            return;
        }
        // Words with ticks in them, each as its number and its bits: nearly all of thousands are empty.
        uint256[] memory hits = new uint256[](2 * MAX_HITS);
        uint256 hitCount;
        uint256 count;
        int16 word = first;
        unchecked {
            for (; word <= last && hitCount < MAX_HITS; ++word) {
                if (gasleft() < GAS_RESERVE + count * GAS_PER_TICK) break;
                uint256 bits = _tickBitmap(request, word);
                if (bits == 0) continue;
                hits[2 * hitCount] = uint256(int256(word));
                hits[2 * hitCount + 1] = bits;
                ++hitCount;
                for (; bits != 0; ++count) {
                    bits &= bits - 1;
                }
            }
        }
        range.next = word;
        range.done = word > last;
        range.ticks = new uint256[](count * 2);
        _fillTicks(range, request.pool, hits, scale);
    }

    function _fillTicks(Range memory range, address pool, uint256[] memory hits, int24 scale)
        private
        view
    {
        uint256 filled;
        uint256 total = range.ticks.length;
        unchecked {
            for (uint256 hit = 0; filled < total; hit += 2) {
                int24 compressed = int24(int256(hits[hit])) * 256;
                uint256 bits = hits[hit + 1];
                for (; bits != 0; bits >>= 1) {
                    if (bits & 1 != 0) {
                        int24 tick = compressed * scale;
                        (, uint256 gross, uint256 net) = _ticks(pool, tick);
                        range.ticks[filled++] = (uint256(int256(tick)) << 128) | uint128(gross);
                        range.ticks[filled++] = net;
                    }
                    ++compressed;
                }
            }
        }
    }

    function _tickBitmap(RangeRequest calldata request, int16 word)
        private
        view
        returns (uint256 bits)
    {
        address pool = request.pool;
        // tickBitmap(int16) or tickTable(int16)
        uint256 selector = request.shape == UNISWAP_V3 ? 0x5339c296 : 0xc677e3e0;
        assembly ("memory-safe") {
            mstore(0, shl(224, selector))
            mstore(4, word)
            if and(gt(returndatasize(), 31), staticcall(GAS_PER_CALL, pool, 0, 36, 0, 32)) {
                bits := mload(0)
            }
        }
    }

    function _ticks(address pool, int24 tick)
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
