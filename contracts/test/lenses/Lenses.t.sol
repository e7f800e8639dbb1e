// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ManagerLens} from "../../src/ManagerLens.sol";
import {PoolLens} from "../../src/PoolLens.sol";
import {ProbeLens} from "../../src/ProbeLens.sol";
import {QuoteLens} from "../../src/QuoteLens.sol";
import {RangeReads} from "../../src/lenses/RangeReads.sol";
import {Test} from "../base/Test.sol";
import {AnyManager, AnyRange, Stranger} from "./Strangers.sol";

/// @notice Lenses over the whole range of every field that a stranger sets: they answer whatever stands
/// there, within the gas of one call.
contract LensesTest is Test {
    uint256 private constant CALL_GAS = 25_000_000;
    int24 private constant FROM_START = type(int24).min;

    ManagerLens private _managerLens = new ManagerLens();
    PoolLens private _poolLens = new PoolLens();
    QuoteLens private _quoteLens = new QuoteLens();

    function test_fuzz_readManaged_anyKeyAndState(
        bytes32 id,
        int24 tickSpacing,
        int16 fromWord,
        bytes32 seed,
        uint256 density
    ) public {
        AnyManager manager = new AnyManager(seed, 0, _bound(density, 1, 64));
        ManagerLens.Request[] memory requests = new ManagerLens.Request[](2);
        requests[0] = ManagerLens.Request(id, tickSpacing, fromWord);
        requests[1] = ManagerLens.Request(keccak256(abi.encode(id)), 60, type(int16).min);
        ManagerLens.Managed[] memory read =
            _managerLens.readManaged{gas: CALL_GAS}(address(manager), requests);
        vm.assertEq(read.length, 2, "an answer for each");
    }

    function test_fuzz_readManaged_anyWordEverywhere(uint256 word, int24 tickSpacing) public {
        AnyManager manager = new AnyManager(0, word, 0);
        ManagerLens.Request[] memory requests = new ManagerLens.Request[](1);
        requests[0] = ManagerLens.Request(bytes32(word), tickSpacing, type(int16).min);
        _managerLens.readManaged{gas: CALL_GAS}(address(manager), requests);
    }

    function test_readManaged_everySpacingOfTheManager() public {
        AnyManager manager = new AnyManager(0, 1, 0);
        ManagerLens.Request[] memory requests = new ManagerLens.Request[](1);
        for (int24 spacing = 29_290; spacing <= 32_767; spacing += 31) {
            requests[0] = ManagerLens.Request(0, spacing, type(int16).min);
            ManagerLens.Managed memory pool =
                _managerLens.readManaged{gas: CALL_GAS}(address(manager), requests)[0];
            vm.assertTrue(pool.ok && pool.done, "read to the end");
        }
    }

    function test_fuzz_readRanges_anyFields(AnyRange.Fields memory fields, int24 from, uint8 shape)
        public
    {
        _readRange(fields, from, shape);
    }

    function test_fuzz_readRanges_anySpacing(int24 spacing, uint256 bits, int24 from, uint8 shape)
        public
    {
        AnyRange.Fields memory fields;
        fields.price = 1 << 96;
        fields.tickSpacing = spacing;
        fields.bits = bits;
        fields.gross = 1;
        fields.next = int256(from) + spacing;
        _readRange(fields, from, shape);
    }

    function _readRange(AnyRange.Fields memory fields, int24 from, uint8 shape) private {
        RangeReads.RangeRequest[] memory requests = new RangeReads.RangeRequest[](1);
        requests[0] = RangeReads.RangeRequest(address(new AnyRange(fields)), from, shape % 3);
        RangeReads.Range memory range = _poolLens.readRanges{gas: CALL_GAS}(requests)[0];
        vm.assertTrue(!range.ok || range.done || range.next != from, "read, left out or gone on");
    }

    function test_fuzz_readAll_anyAnswer(uint8 manner, bytes memory answer, uint256 wanted) public {
        _readAll(address(_strange(manner, answer)), wanted);
    }

    function test_readAll_whatBurnsLeavesRoomForTheOthers() public {
        address burner = address(_strange(uint8(Stranger.Manner.BurnsAllGas), ""));
        address honest = address(_strange(0, abi.encode(uint256(18))));
        PoolLens.Call[] memory calls = new PoolLens.Call[](300);
        for (uint256 i = 0; i < calls.length; ++i) {
            calls[i] = PoolLens.Call(i == calls.length - 1 ? honest : burner, 32, hex"313ce567");
        }
        // As many as fit; the rest is asked in the next call.
        for (uint256 done = 0; done < 300;) {
            PoolLens.Call[] memory rest = new PoolLens.Call[](300 - done);
            for (uint256 i = 0; i < rest.length; ++i) {
                rest[i] = calls[done + i];
            }
            bytes[] memory answers = _poolLens.readCalls{gas: CALL_GAS}(rest);
            vm.assertGe(answers.length, rest.length < 60 ? rest.length : 60, "a call is used");
            done += answers.length;
            if (done == 300) {
                vm.assertEq(answers[answers.length - 1].length, 32, "the honest one is heard");
            }
        }
    }

    function test_ask_whatBurnsLeavesRoomForTheOthers() public {
        address burner = address(_strange(uint8(Stranger.Manner.BurnsAllGas), ""));
        QuoteLens.Question[] memory questions = new QuoteLens.Question[](80);
        for (uint256 i = 0; i < questions.length; ++i) {
            questions[i] = QuoteLens.Question(burner, "");
        }
        bytes[] memory answers = _quoteLens.ask{gas: CALL_GAS}(questions);
        vm.assertTrue(answers.length >= 8 && answers.length < 80, "as many as fit");
    }

    function test_sample_aQuoterThatBurnsIsNotAskedOnAndOn() public {
        address burner = address(_strange(uint8(Stranger.Manner.BurnsAllGas), ""));
        address honest = address(_strange(0, abi.encode(uint256(7))));
        QuoteLens.Direction[] memory directions = new QuoteLens.Direction[](3);
        for (uint256 i = 0; i < 3; ++i) {
            directions[i] = QuoteLens.Direction(
                burner, 1e18, burner, i == 2 ? honest : burner, new bytes(36), 4
            );
        }
        QuoteLens.Sampled[] memory sampled = _quoteLens.sample{gas: CALL_GAS}(directions, 14, 4);
        vm.assertEq(sampled.length, 3, "all in one call");
        vm.assertEq(sampled[2].answers[13].length, 32, "the honest one is heard");
    }

    function test_probe_aTokenThatAnswersMoreThanAWordIsOneLikeOthers() public {
        address talkative = address(_strange(0, abi.encode(uint256(1e18), uint256(5))));
        address executor = address(_strange(0, abi.encode(uint256(1))));
        vm.assertEq(_probe(talkative, executor), 1, "it works");
    }

    function test_fuzz_probe_anyTokenAndAnswer(uint8 manner, bytes memory answer) public {
        address executor = address(_strange(0, abi.encode(uint256(1))));
        vm.assertLe(_probe(address(_strange(manner, answer)), executor), 2, "a verdict");
        address honest = address(_strange(0, abi.encode(uint256(1e18))));
        vm.assertLe(_probe(honest, address(_strange(manner, answer))), 2, "a verdict");
    }

    function _probe(address token, address executor) private returns (uint8 verdict) {
        address[] memory holders = new address[](3);
        (holders[0], holders[1], holders[2]) =
        (address(new ProbeLens()), address(new ProbeLens()), address(new ProbeLens()));
        (verdict,) = new ProbeLens().probe{gas: 6_000_000}(
            ProbeLens.Trial(holders, token, 1, executor, 1, "")
        );
    }

    function _strange(uint8 manner, bytes memory answer) private returns (Stranger) {
        return new Stranger(Stranger.Manner(manner % 5), answer);
    }

    function _readAll(address target, uint256 wanted) private {
        address[] memory one = new address[](3);
        (one[0], one[1], one[2]) = (target, target, target);
        vm.assertEq(_poolLens.readPairs{gas: CALL_GAS}(one).length, 3, "pairs");
        vm.assertEq(_poolLens.readSolidly{gas: CALL_GAS}(target, one).length, 3, "solidly");
        vm.assertEq(_poolLens.readTokens{gas: CALL_GAS}(one).length, 3, "tokens");
        PoolLens.Call[] memory calls = new PoolLens.Call[](2);
        calls[0] = calls[1] = PoolLens.Call(target, wanted, hex"00");
        vm.assertEq(_poolLens.readCalls{gas: CALL_GAS}(calls).length, 2, "calls");
        RangeReads.RangeRequest[] memory requests = new RangeReads.RangeRequest[](3);
        for (uint8 shape = 0; shape < 3; ++shape) {
            requests[shape] = RangeReads.RangeRequest(target, FROM_START, shape);
        }
        vm.assertEq(_poolLens.readRanges{gas: CALL_GAS}(requests).length, 3, "ranges");
        QuoteLens.Question[] memory questions = new QuoteLens.Question[](2);
        questions[0] = questions[1] = QuoteLens.Question(target, hex"00");
        vm.assertEq(_quoteLens.ask{gas: CALL_GAS}(questions).length, 2, "questions");
        QuoteLens.Direction[] memory directions = new QuoteLens.Direction[](1);
        directions[0] = QuoteLens.Direction(target, 0, target, target, new bytes(36), 4);
        vm.assertEq(_quoteLens.sample{gas: CALL_GAS}(directions, 14, 4).length, 1, "samples");
        _poolLens.findPools{gas: CALL_GAS}(target, 0x00000000, one, one, new uint256[](1));
        _quoteLens.findLists{gas: CALL_GAS}(target, 0x00000000, one, one, "");
    }
}
