// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserProxyFactoryV6} from "../src/UserProxyFactoryV6.sol";
import {UserProxyV6} from "../src/UserProxyV6.sol";
import {IUserProxyFactoryV6} from "../src/interfaces/IUserProxyFactoryV6.sol";
import {IUserProxyV6} from "../src/interfaces/IUserProxyV6.sol";
import {Test} from "./base/Test.sol";

contract UserProxyFactoryV6Test is Test {
    UserProxyFactoryV6 internal factory;

    function setUp() public {
        factory = new UserProxyFactoryV6(address(new UserProxyV6()));
    }

    function test_fuzz_deploy_landsOnThePrediction(address owner) public {
        vm.assume(owner != address(0));
        address predicted = factory.predict(owner);
        vm.assertEq(factory.proxyOf(owner), address(0), "before");
        vm.expectEmit(true, true, true, true, address(factory));
        emit IUserProxyFactoryV6.ProxyDeployed(owner, predicted);
        vm.assertEq(factory.deploy(owner), predicted, "deployed");
        vm.assertEq(factory.proxyOf(owner), predicted, "after");
        vm.assertEq(IUserProxyV6(predicted).owner(), owner, "owner");
    }

    function test_fuzz_predict_followsCreate2(address owner) public view {
        bytes memory initCode = abi.encodePacked(
            hex"6100413d81600a3d39f3363d3d373d3d3d363d73",
            factory.IMPLEMENTATION(),
            hex"5af43d82803e903d91602b57fd5bf3",
            owner
        );
        bytes32 hash = keccak256(
            abi.encodePacked(
                hex"ff", address(factory), bytes32(uint256(uint160(owner))), keccak256(initCode)
            )
        );
        vm.assertEq(factory.predict(owner), address(uint160(uint256(hash))), "formula");
    }

    function test_deploy_again_isHarmless() public {
        address first = factory.deploy(address(this));
        bytes memory code = first.code;
        vm.expectEmit(true, true, true, true, address(factory), 0);
        emit IUserProxyFactoryV6.ProxyDeployed(address(this), first);
        vm.prank(address(0xBAD));
        vm.assertEq(factory.deploy(address(this)), first, "same");
        vm.assertEq(keccak256(first.code), keccak256(code), "code");
    }

    function test_deploy_byAnybody_leavesTheOwnerInCharge() public {
        vm.prank(address(0xBAD));
        vm.assertEq(IUserProxyV6(factory.deploy(address(this))).owner(), address(this), "owner");
    }

    function test_deploy_revertsForTheZeroOwner() public {
        vm.expectRevert(IUserProxyFactoryV6.ZeroOwner.selector);
        factory.deploy(address(0));
    }

    function test_constructor_revertsWithoutImplementation() public {
        vm.expectRevert(IUserProxyFactoryV6.NoImplementation.selector);
        new UserProxyFactoryV6(address(0x1234));
    }
}
