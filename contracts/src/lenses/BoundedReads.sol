// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title BoundedReads
/// @notice Reads that trust nothing: every call is bounded in gas and in the bytes it takes back.
/// @dev Yul evaluates arguments from right to left: `and(gt(returndatasize(), 31), staticcall(…))` calls
/// first and looks at the size afterwards.
abstract contract BoundedReads {
    uint256 internal constant GAS_PER_CALL = 300_000;
    /// @dev To write the answers down with.
    uint256 private constant GAS_TO_ANSWER = 3_000_000;
    uint256 private constant MAX_SYMBOL_BYTES = 160;
    uint256 private constant MAX_ANSWER_BYTES = 4096;

    /// @dev Whether so many calls may burn all they are given and what was read can still be told: a
    /// batch ends before one that could not, and whoever asked asks on from there.
    function _hasGasFor(uint256 calls) internal view returns (bool) {
        // A call may be given all but one 64th of what is left.
        return gasleft() > calls * (GAS_PER_CALL + 10_000) + GAS_TO_ANSWER;
    }

    function _call(address target, bytes memory data, uint256 answerBytes)
        internal
        view
        returns (bytes memory answer)
    {
        if (answerBytes > MAX_ANSWER_BYTES) answerBytes = MAX_ANSWER_BYTES;
        assembly ("memory-safe") {
            answer := mload(64)
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
            size := mul(size, ok)
            mstore(answer, size)
            // No more memory is kept than was answered.
            mstore(64, add(answer, and(add(size, 63), not(31))))
        }
    }

    /// @dev First two words of an answer; ok asks for at least one.
    function _read2(address target, uint256 selector)
        internal
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
        internal
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

    function _readBytes(address target, uint256 selector)
        internal
        view
        returns (bytes memory data)
    {
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
