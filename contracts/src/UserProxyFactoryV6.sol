// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IUserProxyFactoryV6} from "./interfaces/IUserProxyFactoryV6.sol";
import {LibClone} from "solady/utils/LibClone.sol";

/// @title UserProxyFactoryV6
/// @dev The owner is both the CREATE2 salt and the clone's immutable argument.
contract UserProxyFactoryV6 is IUserProxyFactoryV6 {
    /// @inheritdoc IUserProxyFactoryV6
    address public immutable IMPLEMENTATION;

    constructor(address implementation) {
        if (implementation.code.length == 0) revert NoImplementation();
        IMPLEMENTATION = implementation;
    }

    /// @inheritdoc IUserProxyFactoryV6
    function deploy(address owner) external returns (address proxy) {
        if (owner == address(0)) revert ZeroOwner();
        bool exists;
        (exists, proxy) = LibClone.createDeterministicClone(
            IMPLEMENTATION, abi.encodePacked(owner), _salt(owner)
        );
        if (!exists) emit ProxyDeployed(owner, proxy);
    }

    /// @inheritdoc IUserProxyFactoryV6
    function proxyOf(address owner) external view returns (address proxy) {
        proxy = predict(owner);
        if (proxy.code.length == 0) proxy = address(0);
    }

    /// @inheritdoc IUserProxyFactoryV6
    function predict(address owner) public view returns (address proxy) {
        proxy = LibClone.predictDeterministicAddress(
            IMPLEMENTATION, abi.encodePacked(owner), _salt(owner), address(this)
        );
    }

    function _salt(address owner) private pure returns (bytes32) {
        return bytes32(uint256(uint160(owner)));
    }
}
