// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title PoolLens
/// @notice Reads pools and tokens in bulk. Never deployed: its runtime code is laid over an empty
/// address for the length of one `eth_call`. It trusts nothing that it reads: every call is bounded in
/// gas and in the bytes it takes back.
/// @dev Yul evaluates arguments from right to left: `and(gt(returndatasize(), 31), staticcall(…))` calls
/// first and looks at the size afterwards.
contract PoolLens {
    /// @param isFresh No swap has moved its price counters yet: the first one pays for new storage.
    struct Pair {
        bool ok;
        bool isFresh;
        uint112 reserve0;
        uint112 reserve1;
        address token0;
        address token1;
    }

    struct SolidlyPool {
        bool ok;
        bool stable;
        bool isFresh;
        uint256 unit0;
        uint256 unit1;
        uint256 reserve0;
        uint256 reserve1;
        uint256 feeBps;
        address token0;
        address token1;
    }

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

    /// @param answerBytes More than this of the answer is not taken.
    struct Call {
        address target;
        uint256 answerBytes;
        bytes data;
    }

    struct Token {
        bool ok;
        uint256 decimals;
        bytes symbol;
    }

    uint8 private constant UNISWAP_V3 = 0;
    uint8 private constant ALGEBRA_DIRECTIONAL = 1;
    uint8 private constant ALGEBRA_INTEGRAL = 2;
    int24 private constant MAX_TICK = 887_272;
    uint256 private constant MAX_LISTED = 1024;
    uint256 private constant GAS_PER_TICK = 16_000;
    uint256 private constant MAX_HITS = 512;
    uint256 private constant GAS_RESERVE = 1_500_000;
    uint256 private constant GAS_PER_CALL = 300_000;
    uint256 private constant MAX_SYMBOL_BYTES = 160;
    uint256 private constant MAX_ANSWER_BYTES = 4096;

    /// @notice Any reads: families whose pools tell all in a few calls need nothing of their own here.
    /// @return answers Empty where a call failed.
    function readCalls(Call[] calldata calls) external view returns (bytes[] memory answers) {
        answers = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            answers[i] = _call(calls[i].target, calls[i].data, calls[i].answerBytes);
        }
    }

    function readPairs(address[] calldata pairs) external view returns (Pair[] memory out) {
        out = new Pair[](pairs.length);
        for (uint256 i = 0; i < pairs.length; ++i) {
            Pair memory pair = out[i];
            (bool ok, uint256 reserve0, uint256 reserve1) = _read2(pairs[i], 0x0902f1ac);
            bool ok0;
            bool ok1;
            uint256 token;
            (ok0, token,) = _read2(pairs[i], 0x0dfe1681);
            pair.token0 = address(uint160(token));
            (ok1, token,) = _read2(pairs[i], 0xd21220a7);
            pair.token1 = address(uint160(token));
            // A pair without price counters has none to pay for.
            (bool counts, uint256 cumulative,) = _read2(pairs[i], 0x5909c0d5);
            pair.isFresh = counts && cumulative == 0;
            pair.ok = ok && ok0 && ok1;
            pair.reserve0 = uint112(reserve0);
            pair.reserve1 = uint112(reserve1);
        }
    }

    /// @notice Solidly pools as their `metadata()` tells, with the fee their factory sets.
    function readSolidly(address factory, address[] calldata pools)
        external
        view
        returns (SolidlyPool[] memory out)
    {
        out = new SolidlyPool[](pools.length);
        for (uint256 i = 0; i < pools.length; ++i) {
            SolidlyPool memory pool = out[i];
            uint256[7] memory words;
            bool ok;
            address target = pools[i];
            assembly ("memory-safe") {
                // metadata()
                mstore(0, shl(224, 0x392f37e9))
                ok := and(
                    gt(returndatasize(), 223),
                    staticcall(GAS_PER_CALL, target, 0, 4, words, 224)
                )
            }
            if (!ok) continue;
            (pool.unit0, pool.unit1, pool.reserve0, pool.reserve1) =
            (words[0], words[1], words[2], words[3]);
            pool.stable = words[4] != 0;
            (pool.token0, pool.token1) = (address(uint160(words[5])), address(uint160(words[6])));
            (pool.ok, pool.feeBps) = _solidlyFee(factory, target, pool.stable);
            (, uint256 cumulative,) = _read2(target, 0xbf944dbc);
            pool.isFresh = cumulative == 0;
        }
    }

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

    /// @notice Pools of a factory for every pair of a token of `a` and another of `b`.
    /// @param selector The factory's look-up by two tokens and a third argument.
    /// @param keys Every value of that argument: fee tiers, tick spacings, stable or not. One of any value
    /// for a function of two arguments: it does not look at the third.
    function findPools(
        address factory,
        bytes4 selector,
        address[] memory a,
        address[] memory b,
        uint256[] memory keys
    ) external view returns (address[] memory pools) {
        pools = new address[](a.length * b.length * keys.length);
        uint256 count;
        for (uint256 n = 0; n < pools.length; ++n) {
            address tokenA = a[n / keys.length / b.length];
            address tokenB = b[(n / keys.length) % b.length];
            if (tokenA == tokenB) continue;
            bytes memory data =
                abi.encodeWithSelector(selector, tokenA, tokenB, keys[n % keys.length]);
            count = _append(pools, count, factory, data);
        }
        assembly ("memory-safe") {
            mstore(pools, count)
        }
    }

    /// @notice Pairs `from` to `to` of a constant product factory's own list, and the list's length.
    function listPairs(address factory, uint256 from, uint256 to)
        external
        view
        returns (uint256 length, address[] memory pairs)
    {
        bool ok;
        (ok, length,) = _read2(factory, 0x574f2ba3);
        if (!ok) return (0, pairs);
        if (to > length) to = length;
        if (from > to) from = to;
        pairs = new address[](to - from);
        uint256 count;
        for (uint256 i = from; i < to; ++i) {
            count = _append(pairs, count, factory, abi.encodeWithSelector(0x1e3dd18b, i));
        }
        assembly ("memory-safe") {
            mstore(pairs, count)
        }
    }

    function readTokens(address[] calldata tokens) external view returns (Token[] memory out) {
        out = new Token[](tokens.length);
        for (uint256 i = 0; i < tokens.length; ++i) {
            (out[i].ok, out[i].decimals,) = _read2(tokens[i], 0x313ce567);
            out[i].symbol = _readBytes(tokens[i], 0x95d89b41);
        }
    }

    function _solidlyFee(address factory, address pool, bool stable)
        private
        view
        returns (bool ok, uint256 feeBps)
    {
        // getFee(address,bool)
        bytes memory data = abi.encodeWithSelector(0xcc56b2c5, pool, stable);
        assembly ("memory-safe") {
            ok := and(
                gt(returndatasize(), 31),
                staticcall(GAS_PER_CALL, factory, add(data, 32), mload(data), 0, 32)
            )
            if ok { feeBps := mload(0) }
        }
        ok = ok && feeBps < 10_000;
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

    function _call(address target, bytes memory data, uint256 answerBytes)
        private
        view
        returns (bytes memory answer)
    {
        if (answerBytes > MAX_ANSWER_BYTES) answerBytes = MAX_ANSWER_BYTES;
        answer = new bytes(answerBytes);
        assembly ("memory-safe") {
            let ok :=
                staticcall(
                    GAS_PER_CALL,
                    target,
                    add(data, 32),
                    mload(data),
                    add(answer, 32),
                    answerBytes
                )
            let size := returndatasize()
            if gt(size, answerBytes) { size := answerBytes }
            mstore(answer, mul(size, ok))
        }
    }

    /// @dev First two words of an answer; ok asks for at least one.
    function _read2(address target, uint256 selector)
        private
        view
        returns (bool ok, uint256 first, uint256 second)
    {
        assembly ("memory-safe") {
            mstore(0, shl(224, selector))
            ok := and(gt(returndatasize(), 31), staticcall(GAS_PER_CALL, target, 0, 4, 0, 64))
            if ok {
                first := mload(0)
                if gt(returndatasize(), 63) { second := mload(32) }
            }
        }
    }

    function _append(address[] memory list, uint256 count, address target, bytes memory data)
        private
        view
        returns (uint256)
    {
        uint256 found;
        assembly ("memory-safe") {
            let ok := staticcall(GAS_PER_CALL, target, add(data, 32), mload(data), 0, 32)
            if and(ok, gt(returndatasize(), 31)) { found := mload(0) }
            // The argument buffer is not needed any more: its memory is used again.
            mstore(64, data)
        }
        if (found == 0 || found >> 160 != 0) return count;
        list[count] = address(uint160(found));
        return count + 1;
    }

    function _readBytes(address target, uint256 selector) private view returns (bytes memory data) {
        data = new bytes(MAX_SYMBOL_BYTES);
        assembly ("memory-safe") {
            mstore(0, shl(224, selector))
            let ok := staticcall(GAS_PER_CALL, target, 0, 4, add(data, 32), MAX_SYMBOL_BYTES)
            let size := returndatasize()
            if gt(size, MAX_SYMBOL_BYTES) { size := MAX_SYMBOL_BYTES }
            mstore(data, mul(size, ok))
        }
    }
}
