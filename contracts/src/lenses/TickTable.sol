// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title TickTable
/// @notice The walk over a table of initialised ticks, 256 to a word, as far as the gas goes.
library TickTable {
    /// @param readWord Asks `source` for a word of the table that `key` names there.
    /// @param scale Ticks that lie between two bits.
    /// @param from Word to begin at; anything below the first one begins there.
    struct Walk {
        function(address, uint256, int256) view returns (bool, uint256) readWord;
        address source;
        uint256 key;
        int256 scale;
        int256 from;
        uint256 gasReserve;
        uint256 gasPerTick;
    }

    /// @param ok Every word was answered.
    /// @param nextWord Where to go on from when `done` is false: the gas ran short.
    struct Found {
        bool ok;
        bool done;
        int256 nextWord;
        int256[] ticks;
    }

    int256 internal constant MAX_TICK = 887_272;
    uint256 private constant MAX_HITS = 512;

    function find(Walk memory walk) internal view returns (Found memory found) {
        // Anybody opens pools of any spacing: no product of it is narrower than a word.
        int256 perWord = walk.scale * 256;
        int256 last = MAX_TICK / perWord;
        int256 word = -((MAX_TICK + perWord - 1) / perWord);
        if (walk.from > word) word = walk.from;
        // Words with ticks in them, each as its number and its bits: nearly all of thousands are empty.
        uint256[] memory hits = new uint256[](2 * MAX_HITS);
        uint256 hitCount;
        uint256 count;
        unchecked {
            for (; word <= last && hitCount < MAX_HITS; ++word) {
                if (gasleft() < walk.gasReserve + count * walk.gasPerTick) break;
                (bool ok, uint256 bits) = walk.readWord(walk.source, walk.key, word);
                if (!ok) return found;
                if (bits == 0) continue;
                hits[2 * hitCount] = uint256(word);
                hits[2 * hitCount + 1] = bits;
                ++hitCount;
                for (; bits != 0; ++count) {
                    bits &= bits - 1;
                }
            }
        }
        (found.ok, found.done, found.nextWord) = (true, word > last, word);
        found.ticks = _list(hits, count, walk.scale);
    }

    function _list(uint256[] memory hits, uint256 count, int256 scale)
        private
        pure
        returns (int256[] memory ticks)
    {
        ticks = new int256[](count);
        uint256 filled;
        unchecked {
            for (uint256 hit = 0; filled < count; hit += 2) {
                int256 compressed = int256(hits[hit]) * 256;
                for (uint256 bits = hits[hit + 1]; bits != 0; bits >>= 1) {
                    if (bits & 1 != 0) ticks[filled++] = compressed * scale;
                    ++compressed;
                }
            }
        }
    }
}
