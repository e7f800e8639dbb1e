// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title QuoteLens
/// @notice Asks on-chain quoters in bulk. Never deployed: its runtime code is laid over an empty address
/// for the length of one `eth_call`. Some quoters run the swap and so are no views: each is asked by a
/// call that is undone before the next one. Nothing is begun that the gas of the call might not end: a
/// list of answers may be shorter than that of the questions, and whoever asked asks on from there.
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

    /// @param burnt Some questions burned all their gas: the others were not asked.
    /// @param held The largest amount asked about.
    struct Sampled {
        bool burnt;
        uint256 held;
        bytes[] answers;
    }

    /// @dev Beyond it a quoter is no use, and the others' gas would be gone.
    uint256 private constant GAS_PER_QUESTION = 2_000_000;
    /// @dev To write the answers down with, and for what stands around a question.
    uint256 private constant GAS_TO_ANSWER = 1_500_000;
    /// @dev A direction whose quoter burned so many questions' gas is asked no more.
    uint256 private constant MOST_BURNT = 2;
    uint256 private constant MAX_ANSWER_BYTES = 96;
    /// @dev Ten pools of a pair, and the array's head.
    uint256 private constant MAX_LIST_BYTES = 384;
    uint256 private constant MAX_FOUND = 1_000;

    /// @notice Carries an answer out of a call that must leave nothing behind.
    error Answer(bytes answer);

    /// @notice The lens calls itself only.
    error NotForOthers();

    /// @notice The gas of the call might not end it: with fewer pairs it may.
    error TooMany();

    /// @return answers Up to three words each; empty where the quoter refused.
    function ask(Question[] calldata questions) external returns (bytes[] memory answers) {
        answers = new bytes[](questions.length);
        uint256 i;
        for (; i < questions.length && _hasGasFor(1); ++i) {
            answers[i] = _askAlone(questions[i].target, questions[i].data);
        }
        assembly ("memory-safe") {
            mstore(answers, i)
        }
    }

    /// @notice Asks about amounts from all that a pool holds downwards, each `ratio` times the one before.
    /// @return sampled Answers by rising amount; empty where the quoter refused.
    function sample(Direction[] calldata directions, uint256 points, uint256 ratio)
        external
        returns (Sampled[] memory sampled)
    {
        sampled = new Sampled[](directions.length);
        uint256 i;
        for (; i < directions.length && _hasGasFor(2); ++i) {
            // The first one has the whole call: what it does not answer in it has no answer.
            if (!_sampleOne(sampled[i], directions[i], points, ratio) && i > 0) break;
        }
        assembly ("memory-safe") {
            mstore(sampled, i)
        }
    }

    /// @notice Pools of a factory that answers a pair of tokens with a list, for each token of `a` with
    /// each of `b`, in both orders.
    /// @param tail Arguments of the look-up behind the two tokens.
    /// @return found Of each list the first ones.
    /// @return long Lists that go on, or whose look-up burned all its gas: anybody may lengthen them. Each
    /// pair of tokens counts twice, as it stands and turned around.
    function findLists(
        address factory,
        bytes4 selector,
        address[] calldata a,
        address[] calldata b,
        bytes calldata tail
    ) external returns (address[] memory found, uint256[] memory long) {
        found = new address[](MAX_FOUND);
        assembly ("memory-safe") {
            mstore(found, 0)
        }
        long = new uint256[](2 * a.length * b.length);
        uint256 longs;
        for (uint256 n = 0; n < long.length; ++n) {
            bytes memory pair = _pairAt(a, b, n);
            if (pair.length == 0) continue;
            if (_addList(found, factory, abi.encodePacked(selector, pair, tail))) {
                long[longs++] = n;
            }
        }
        assembly ("memory-safe") {
            mstore(long, longs)
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

    /// @return done False where the gas ran short before the last amount.
    function _sampleOne(
        Sampled memory sample_,
        Direction calldata direction,
        uint256 points,
        uint256 ratio
    ) private returns (bool done) {
        uint256 amount = direction.held;
        if (amount == 0) amount = _held(direction.token, direction.holder);
        sample_.held = amount;
        sample_.answers = new bytes[](points);
        bytes memory data = direction.data;
        uint256 burnt;
        for (uint256 k = points; k > 0 && amount > 0 && burnt < MOST_BURNT; --k) {
            if (!_hasGasFor(1)) return false;
            _write(data, direction.amountAt, amount);
            uint256 before = gasleft();
            sample_.answers[k - 1] = _askAlone(direction.target, data);
            if (before - gasleft() >= GAS_PER_QUESTION) ++burnt;
            amount /= ratio;
        }
        sample_.burnt = burnt == MOST_BURNT;
        return true;
    }

    /// @dev A call may be given all but one 64th of what is left; the second one is inside the first.
    function _hasGasFor(uint256 questions) private view returns (bool) {
        return gasleft() > questions * (GAS_PER_QUESTION + GAS_PER_QUESTION / 16) + GAS_TO_ANSWER;
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

    /// @return pair Two tokens as arguments; empty where they are one.
    function _pairAt(address[] calldata a, address[] calldata b, uint256 n)
        private
        pure
        returns (bytes memory pair)
    {
        (address one, address other) = (a[n / 2 / b.length], b[(n / 2) % b.length]);
        if (one == other) return pair;
        return n % 2 == 0 ? abi.encode(one, other) : abi.encode(other, one);
    }

    /// @param found Has room for MAX_FOUND, whatever its length.
    /// @return goesOn Whether there are, or may be, more.
    function _addList(address[] memory found, address factory, bytes memory question)
        private
        returns (bool goesOn)
    {
        if (!_hasGasFor(1)) revert TooMany();
        uint256 before = gasleft();
        bytes memory answer = _call(factory, question, MAX_LIST_BYTES);
        uint256 words = answer.length / 32;
        if (words == 0) return before - gasleft() >= GAS_PER_QUESTION;
        if (words < 3 || _word(answer, 0) != 32) return false;
        uint256 length = _word(answer, 1);
        uint256 count = found.length;
        uint256 k;
        for (; k < length && k + 2 < words && count < MAX_FOUND; ++k) {
            assembly ("memory-safe") {
                mstore(found, add(count, 1))
            }
            found[count++] = address(uint160(_word(answer, k + 2)));
        }
        return k < length;
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
