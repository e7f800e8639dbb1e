// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RangeReads} from "./lenses/RangeReads.sol";

/// @title PoolLens
/// @notice Reads pools and tokens in bulk. Never deployed: its runtime code is laid over an empty
/// address for the length of one `eth_call`. Nothing is begun that the gas of the call might not end: a
/// list of answers may be shorter than that of the questions, and whoever asked asks on from there.
contract PoolLens is RangeReads {
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

    /// @dev Answers that are written down again; the last of them may go beyond.
    uint256 private constant MAX_HELD_BYTES = 400_000;

    /// @notice Any reads: families whose pools tell all in a few calls need nothing of their own here.
    /// @return answers Empty where a call failed, one byte where it burned all its gas.
    function readCalls(Call[] calldata calls) external view returns (bytes[] memory answers) {
        answers = new bytes[](calls.length);
        uint256 i;
        uint256 held;
        for (; i < calls.length && held < MAX_HELD_BYTES && _hasGasFor(1); ++i) {
            uint256 before = gasleft();
            answers[i] = _call(calls[i].target, calls[i].data, calls[i].answerBytes);
            if (answers[i].length == 0 && before - gasleft() >= GAS_PER_CALL) answers[i] = hex"01";
            held += answers[i].length;
        }
        assembly ("memory-safe") {
            mstore(answers, i)
        }
    }

    function readPairs(address[] calldata pairs) external view returns (Pair[] memory out) {
        out = new Pair[](pairs.length);
        uint256 i;
        for (; i < pairs.length && _hasGasFor(4); ++i) {
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
            pair.ok = ok && ok0 && ok1 && (reserve0 | reserve1) >> 112 == 0;
            pair.reserve0 = uint112(reserve0);
            pair.reserve1 = uint112(reserve1);
        }
        assembly ("memory-safe") {
            mstore(out, i)
        }
    }

    /// @notice Solidly pools as their `metadata()` tells, with the fee their factory sets.
    function readSolidly(address factory, address[] calldata pools)
        external
        view
        returns (SolidlyPool[] memory out)
    {
        out = new SolidlyPool[](pools.length);
        uint256 i;
        for (; i < pools.length && _hasGasFor(3); ++i) {
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
        assembly ("memory-safe") {
            mstore(out, i)
        }
    }

    /// @notice Pools of a factory for every pair of a token of `a` and another of `b`.
    /// @param selector The factory's look-up by two tokens and a third argument.
    /// @param keys Every value of that argument: fee tiers, tick spacings, stable or not. One of any value
    /// for a function of two arguments: it does not look at the third.
    /// @return pools In the order of the pairs.
    /// @return long Pairs that have a pool at the last of the keys: where these are numbers, there may be
    /// more behind it.
    function findPools(
        address factory,
        bytes4 selector,
        address[] memory a,
        address[] memory b,
        uint256[] memory keys
    ) external view returns (address[] memory pools, uint256[] memory long) {
        pools = new address[](a.length * b.length * keys.length);
        long = new uint256[](a.length * b.length);
        uint256 count;
        uint256 longs;
        for (uint256 n = 0; n < pools.length; ++n) {
            bytes memory question = _lookUp(selector, a, b, keys, n);
            if (question.length == 0) continue;
            uint256 next = _append(pools, count, factory, question);
            if (next > count && (n + 1) % keys.length == 0) long[longs++] = n / keys.length;
            count = next;
        }
        assembly ("memory-safe") {
            mstore(pools, count)
            mstore(long, longs)
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
        uint256 i;
        for (; i < tokens.length && _hasGasFor(2); ++i) {
            (out[i].ok, out[i].decimals,) = _read2(tokens[i], 0x313ce567);
            out[i].symbol = _readBytes(tokens[i], 0x95d89b41);
        }
        assembly ("memory-safe") {
            mstore(out, i)
        }
    }

    /// @return question Empty where both tokens are one.
    function _lookUp(
        bytes4 selector,
        address[] memory a,
        address[] memory b,
        uint256[] memory keys,
        uint256 n
    ) private pure returns (bytes memory question) {
        address one = a[n / keys.length / b.length];
        address other = b[(n / keys.length) % b.length];
        if (one == other) return question;
        return abi.encodeWithSelector(selector, one, other, keys[n % keys.length]);
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
}
