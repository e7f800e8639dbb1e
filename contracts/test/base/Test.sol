// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice The cheatcodes the tests use; forge has no npm package of its own for them.
interface Vm {
    function addr(uint256 privateKey) external pure returns (address);
    function assertEq(uint256 left, uint256 right, string calldata reason) external pure;
    function assertEq(address left, address right, string calldata reason) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata reason) external pure;
    function assertGe(uint256 left, uint256 right, string calldata reason) external pure;
    function assertLe(uint256 left, uint256 right, string calldata reason) external pure;
    function assertTrue(bool condition, string calldata reason) external pure;
    function assume(bool condition) external pure;
    function deal(address account, uint256 balance) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
    function expectEmit(
        bool topic1,
        bool topic2,
        bool topic3,
        bool data,
        address emitter,
        uint64 count
    ) external;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata data) external;
    function prank(address caller) external;
    function sign(uint256 privateKey, bytes32 digest)
        external
        pure
        returns (uint8 v, bytes32 r, bytes32 s);
    function snapshotGasLastCall(string calldata group, string calldata name)
        external
        returns (uint256);
    function snapshotValue(string calldata group, string calldata name, uint256 value) external;
    function startPrank(address caller) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
}

/// @notice What every test contract inherits.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    address[] private _targets;

    /// @notice Read by forge's invariant runner.
    function targetContracts() external view returns (address[] memory) {
        return _targets;
    }

    function _target(address handler) internal {
        _targets.push(handler);
    }

    function _bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + value % (high - low + 1);
    }
}
