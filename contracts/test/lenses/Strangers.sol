// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice What anybody may put where a pool, a token or a quoter is expected: the same answer to all.
contract Stranger {
    enum Manner {
        Answers,
        Reverts,
        BurnsAllGas,
        AnswersMegabytes,
        LiesAboutLength
    }

    Manner private immutable MANNER;
    bytes private _answer;

    constructor(Manner manner, bytes memory answer) {
        MANNER = manner;
        _answer = answer;
    }

    fallback(bytes calldata) external payable returns (bytes memory) {
        if (MANNER == Manner.Reverts) revert();
        if (MANNER == Manner.BurnsAllGas) {
            while (true) {}
        }
        if (MANNER == Manner.AnswersMegabytes) {
            assembly {
                return(0, 10000000)
            }
        }
        if (MANNER == Manner.LiesAboutLength) {
            assembly {
                mstore(0, 32)
                mstore(32, not(0))
                return(0, 64)
            }
        }
        bytes memory answer = _answer;
        assembly {
            return(add(answer, 32), mload(answer))
        }
    }
}

/// @notice Uniswap v4's manager as the lens reads it: any word for any slot.
contract AnyManager {
    bytes32 private immutable SEED;
    uint256 private immutable HEAD;
    uint256 private immutable DENSITY;

    /// @param density One word in so many of the others holds bits; zero for none.
    constructor(bytes32 seed, uint256 head, uint256 density) {
        (SEED, HEAD, DENSITY) = (seed, head, density);
    }

    function extsload(bytes32 slot) external view returns (bytes32) {
        uint256 word = uint256(keccak256(abi.encode(SEED, slot)));
        if (DENSITY == 0) return bytes32(HEAD);
        return word % DENSITY == 0 ? bytes32(word) : bytes32(0);
    }
}

/// @notice A concentrated pool as a stranger would make it: every field is whatever he likes.
contract AnyRange {
    struct Fields {
        uint256 price;
        int256 tick;
        uint256 liquidity;
        int256 tickSpacing;
        uint256 fee;
        uint256 bits;
        uint256 gross;
        uint256 net;
        int256 next;
        uint256 token;
    }

    Fields private _fields;

    constructor(Fields memory fields) {
        _fields = fields;
    }

    function slot0() external view returns (uint256, int256, uint256, uint256) {
        return (_fields.price, _fields.tick, _fields.fee, _fields.fee);
    }

    function globalState() external view returns (uint256, int256, uint256, uint256) {
        return (_fields.price, _fields.tick, _fields.fee, _fields.fee);
    }

    function liquidity() external view returns (uint256) {
        return _fields.liquidity;
    }

    function tickSpacing() external view returns (int256) {
        return _fields.tickSpacing;
    }

    function token0() external view returns (uint256) {
        return _fields.token;
    }

    function token1() external view returns (uint256) {
        return _fields.token;
    }

    function fee() external view returns (uint256) {
        return _fields.fee;
    }

    function tickBitmap(int16) external view returns (uint256) {
        return _fields.bits;
    }

    function tickTable(int16) external view returns (uint256) {
        return _fields.bits;
    }

    function ticks(int24) external view returns (uint256, uint256, uint256, int256) {
        return (_fields.gross, _fields.net, 0, _fields.next);
    }
}
