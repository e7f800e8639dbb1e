// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SenderDeployer} from "../src/SenderDeployer.sol";
import {ISenderDeployer} from "../src/interfaces/ISenderDeployer.sol";
import {Test} from "./base/Test.sol";
import {CREATE3} from "solady/utils/CREATE3.sol";

contract Labelled {
    uint256 public immutable LABEL;

    constructor(uint256 label) {
        require(label != 0);
        LABEL = label;
    }
}

contract SenderDeployerTest is Test {
    SenderDeployer internal deployer = new SenderDeployer();

    function _creation(uint256 label) private pure returns (bytes memory) {
        return abi.encodePacked(type(Labelled).creationCode, abi.encode(label));
    }

    function test_fuzz_deploy_landsOnThePrediction(address sender, bytes32 salt, uint256 label)
        public
    {
        vm.assume(sender != address(0) && label != 0);
        address predicted = deployer.predict(sender, salt);
        vm.expectEmit(true, true, true, true, address(deployer));
        emit ISenderDeployer.Deployed(sender, salt, predicted);
        vm.prank(sender);
        vm.assertEq(deployer.deploy(salt, _creation(label)), predicted, "deployed");
        vm.assertEq(Labelled(predicted).LABEL(), label, "arguments");
    }

    function test_deploy_sameSaltOfAnotherSender_standsElsewhere() public {
        address mine = deployer.predict(address(this), bytes32(0));
        vm.prank(address(0xBAD));
        address theirs = deployer.deploy(bytes32(0), _creation(666));
        vm.assertEq(theirs, deployer.predict(address(0xBAD), bytes32(0)), "apart");
        vm.assertEq(mine.code.length, 0, "free");
        vm.assertEq(deployer.deploy(bytes32(0), _creation(1)), mine, "mine");
    }

    function test_deploy_aSaltTwice_reverts() public {
        deployer.deploy(bytes32(0), _creation(1));
        vm.expectRevert(CREATE3.DeploymentFailed.selector);
        deployer.deploy(bytes32(0), _creation(2));
    }

    function test_deploy_whatReverts_leavesTheSaltFree() public {
        vm.expectRevert(CREATE3.DeploymentFailed.selector);
        deployer.deploy(bytes32(0), _creation(0));
        vm.assertEq(
            deployer.deploy(bytes32(0), _creation(1)),
            deployer.predict(address(this), bytes32(0)),
            "later"
        );
    }
}
