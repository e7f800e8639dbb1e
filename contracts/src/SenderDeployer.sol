// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISenderDeployer} from "./interfaces/ISenderDeployer.sol";
import {CREATE3} from "solady/utils/CREATE3.sol";

/// @title SenderDeployer
/// @dev CREATE3 under a salt that holds the sender. It has no constructor arguments, so the public CREATE2
/// deployer puts it at one address on every chain.
contract SenderDeployer is ISenderDeployer {
    /// @inheritdoc ISenderDeployer
    function deploy(bytes32 salt, bytes calldata initCode) external returns (address deployed) {
        deployed = CREATE3.deployDeterministic(initCode, _saltOf(msg.sender, salt));
        emit Deployed(msg.sender, salt, deployed);
    }

    /// @inheritdoc ISenderDeployer
    function predict(address sender, bytes32 salt) external view returns (address) {
        return CREATE3.predictDeterministicAddress(_saltOf(sender, salt));
    }

    function _saltOf(address sender, bytes32 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(sender, salt));
    }
}
