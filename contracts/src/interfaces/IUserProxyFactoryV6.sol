// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Factory of user proxies
/// @notice Deploys one minimal clone per owner. The clone's address commits to the owner and to the
/// implementation, so an owner may approve the predicted address before anything is deployed there.
/// No admin, no storage.
interface IUserProxyFactoryV6 {
    /// @notice Emitted once per owner, when the proxy is deployed.
    event ProxyDeployed(address indexed owner, address indexed proxy);

    /// @notice Thrown when the owner is the zero address.
    error ZeroOwner();

    /// @notice Thrown by the constructor when the implementation has no code.
    error NoImplementation();

    /// @notice Deploys the owner's proxy, or does nothing when it exists. Anyone may call.
    /// @param owner The account that will own the proxy for ever.
    /// @return proxy The owner's proxy.
    function deploy(address owner) external returns (address proxy);

    /// @notice The owner's deployed proxy, or zero while there is none.
    function proxyOf(address owner) external view returns (address proxy);

    /// @notice The address the owner's proxy has or will have.
    function predict(address owner) external view returns (address proxy);

    /// @notice The contract every clone delegates to.
    function IMPLEMENTATION() external view returns (address);
}
