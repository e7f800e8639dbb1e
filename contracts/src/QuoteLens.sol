// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title QuoteLens
/// @notice Asks on-chain quoters in bulk. Never deployed: its runtime code is laid over an empty address
/// for the length of one `eth_call`. Some quoters run the swap and so are no views: each is asked by a
/// call that is undone before the next one.
contract QuoteLens {
    struct Question {
        address target;
        bytes data;
    }

    /// @param held The largest amount asked about; zero: what the holder has.
    /// @param token Zero for the native currency.
    /// @param amountAt Where the amount stands in `data`, in bytes.
    struct Direction {
        address holder;
        uint256 held;
        address token;
        address target;
        bytes data;
        uint256 amountAt;
    }

    /// @param held The largest amount asked about.
    struct Sampled {
        uint256 held;
        bytes[] answers;
    }

    /// @dev Beyond it a quoter is no use, and the others' gas would be gone.
    uint256 private constant GAS_PER_QUESTION = 2_000_000;
    uint256 private constant MAX_ANSWER_BYTES = 96;
    /// @dev Ten pools of a pair, and the array's head.
    uint256 private constant MAX_LIST_BYTES = 384;
    uint256 private constant MAX_FOUND = 1_000;

    /// @notice Carries an answer out of a call that must leave nothing behind.
    error Answer(bytes answer);

    /// @notice The lens calls itself only.
    error NotForOthers();

    /// @return answers Up to three words each; empty where the quoter refused.
    function ask(Question[] calldata questions) external returns (bytes[] memory answers) {
        answers = new bytes[](questions.length);
        for (uint256 i = 0; i < questions.length; ++i) {
            answers[i] = _askAlone(questions[i].target, questions[i].data);
        }
    }

    /// @notice Asks about amounts from all that a pool holds downwards, each `ratio` times the one before.
    /// @return sampled Answers by rising amount; empty where the quoter refused.
    function sample(Direction[] calldata directions, uint256 points, uint256 ratio)
        external
        returns (Sampled[] memory sampled)
    {
        sampled = new Sampled[](directions.length);
        for (uint256 i = 0; i < directions.length; ++i) {
            Direction calldata direction = directions[i];
            uint256 amount = direction.held;
            if (amount == 0) amount = _held(direction.token, direction.holder);
            sampled[i].held = amount;
            sampled[i].answers = new bytes[](points);
            bytes memory data = direction.data;
            for (uint256 k = points; k > 0 && amount > 0; --k) {
                _write(data, direction.amountAt, amount);
                sampled[i].answers[k - 1] = _askAlone(direction.target, data);
                amount /= ratio;
            }
        }
    }

    /// @notice Pools of a factory that answers a pair of tokens with a list, for each token of `a` with
    /// each of `b`, in both orders.
    /// @param tail Arguments of the look-up behind the two tokens.
    function findLists(
        address factory,
        bytes4 selector,
        address[] calldata a,
        address[] calldata b,
        bytes calldata tail
    ) external returns (address[] memory found) {
        found = new address[](MAX_FOUND);
        uint256 count;
        for (uint256 i = 0; i < a.length; ++i) {
            for (uint256 j = 0; j < b.length; ++j) {
                if (a[i] == b[j]) continue;
                count = _addList(
                    found, count, factory, abi.encodePacked(selector, abi.encode(a[i], b[j]), tail)
                );
                count = _addList(
                    found, count, factory, abi.encodePacked(selector, abi.encode(b[j], a[i]), tail)
                );
            }
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// @notice Always reverts: with the answer, or with nothing where there is none.
    function askOne(address target, bytes calldata data) external {
        if (msg.sender != address(this)) revert NotForOthers();
        bytes memory answer = _call(target, data, MAX_ANSWER_BYTES);
        revert Answer(answer);
    }

    function _askAlone(address target, bytes memory data) private returns (bytes memory answer) {
        try this.askOne(target, data) {}
        catch (bytes memory reason) {
            answer = _unwrap(reason);
        }
    }

    function _held(address token, address holder) private returns (uint256) {
        if (token == address(0)) return holder.balance;
        bytes memory answer =
            _call(token, abi.encodeWithSignature("balanceOf(address)", holder), 32);
        return answer.length == 32 ? _word(answer, 0) : 0;
    }

    function _write(bytes memory data, uint256 offset, uint256 word) private pure {
        if (offset + 32 > data.length) revert NotForOthers();
        assembly ("memory-safe") {
            mstore(add(add(data, 32), offset), word)
        }
    }

    function _addList(address[] memory found, uint256 count, address factory, bytes memory question)
        private
        returns (uint256)
    {
        bytes memory answer = _call(factory, question, MAX_LIST_BYTES);
        uint256 words = answer.length / 32;
        if (words < 3 || _word(answer, 0) != 32) return count;
        uint256 length = _word(answer, 1);
        for (uint256 k = 0; k < length && k + 2 < words && count < MAX_FOUND; ++k) {
            found[count++] = address(uint160(_word(answer, k + 2)));
        }
        return count;
    }

    function _word(bytes memory data, uint256 index) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), mul(index, 32)))
        }
    }

    function _call(address target, bytes memory data, uint256 maxBytes)
        private
        returns (bytes memory answer)
    {
        answer = new bytes(maxBytes);
        assembly ("memory-safe") {
            let ok :=
                call(
                    GAS_PER_QUESTION,
                    target,
                    0,
                    add(data, 32),
                    mload(data),
                    add(answer, 32),
                    maxBytes
                )
            let size := returndatasize()
            if gt(size, maxBytes) { size := maxBytes }
            mstore(answer, mul(size, ok))
        }
    }

    function _unwrap(bytes memory reason) private pure returns (bytes memory answer) {
        // A revert's selector is its first four bytes.
        // forge-lint: disable-next-line(unsafe-typecast)
        if (bytes4(reason) != Answer.selector) return answer;
        assembly ("memory-safe") {
            // The selector, then an offset of 32, then the bytes themselves.
            answer := add(reason, 68)
        }
    }
}
