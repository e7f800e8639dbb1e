// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title ProbeLens
/// @notice Tries swaps without owning a token. Never deployed: for the length of one `eth_call` its code
/// is laid over an empty address, which is called, and over contracts that hold tokens, which do the
/// swap. Each try is undone before the next one.
contract ProbeLens {
    /// @param least What the swap has to pay, as its maths foretells.
    /// @param holders Contracts under this code that may hold enough of the token; each in turn is tried.
    struct Trial {
        address[] holders;
        address tokenIn;
        uint256 amountIn;
        address executor;
        uint256 least;
        bytes data;
    }

    uint8 private constant UNKNOWN = 0;
    uint8 private constant WORKS = 1;
    uint8 private constant REFUSES = 2;
    uint256 private constant GAS_PER_SWAP = 1_500_000;

    /// @notice The swap was run and paid what it should.
    error Swapped(uint256 paid);

    /// @notice The swap was run, and reverted or paid too little.
    error Refused();

    /// @return verdict 0 where nobody could try it, 1 where one swap paid, 2 where all that were tried
    /// were refused.
    /// @return paid What the swap that paid has paid.
    function probe(Trial calldata trial) external returns (uint8 verdict, uint256 paid) {
        for (uint256 k = 0; k < trial.holders.length && verdict != WORKS; ++k) {
            uint8 found;
            (found, paid) = _tryBy(trial.holders[k], trial);
            if (found != UNKNOWN) verdict = found;
        }
    }

    /// @notice Swaps tokens of the address it runs at; always reverts, and so leaves nothing behind.
    function swapOwn(Trial calldata trial) external {
        if (_balance(trial.tokenIn) < trial.amountIn) revert();
        (bool allowed,) = trial.tokenIn
            .call(
                abi.encodeWithSignature("approve(address,uint256)", trial.executor, trial.amountIn)
            );
        if (!allowed) revert();
        (bool ok, bytes memory answer) = trial.executor.call(trial.data);
        if (!ok || answer.length != 32) revert Refused();
        uint256 paid = abi.decode(answer, (uint256));
        if (paid < trial.least) revert Refused();
        revert Swapped(paid);
    }

    function _tryBy(address holder, Trial calldata trial)
        private
        returns (uint8 verdict, uint256 paid)
    {
        try ProbeLens(holder).swapOwn{gas: GAS_PER_SWAP}(trial) {}
        catch (bytes memory reason) {
            // A revert's selector is its first four bytes.
            // forge-lint: disable-next-line(unsafe-typecast)
            bytes4 selector = bytes4(reason);
            if (selector == Refused.selector) return (REFUSES, 0);
            if (selector != Swapped.selector) return (UNKNOWN, 0);
            assembly ("memory-safe") {
                // Behind the length and the selector.
                paid := mload(add(reason, 36))
            }
            return (WORKS, paid);
        }
    }

    function _balance(address token) private view returns (uint256) {
        (bool ok, bytes memory answer) =
            token.staticcall(abi.encodeWithSignature("balanceOf(address)", address(this)));
        // Its first word: some tokens answer more.
        return ok && answer.length >= 32 ? abi.decode(answer, (uint256)) : 0;
    }
}
