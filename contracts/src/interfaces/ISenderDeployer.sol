// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Deployer of contracts by sender and salt
/// @notice An address depends on the sender and the salt alone, so what takes other constructor
/// arguments on each chain stands at one address on all of them, and nobody else can take that address.
/// No admin, no storage.
interface ISenderDeployer {
    /// @notice Emitted for each contract that is deployed.
    event Deployed(address indexed sender, bytes32 indexed salt, address deployed);

    /// @notice Deploys a contract. A sender's salt can be used once.
    /// @param salt The sender's own.
    /// @param initCode The creation code with its constructor's arguments.
    /// @return deployed The contract, at the predicted address.
    function deploy(bytes32 salt, bytes calldata initCode) external returns (address deployed);

    /// @notice The address that the sender's salt has or will have.
    function predict(address sender, bytes32 salt) external view returns (address);
}
