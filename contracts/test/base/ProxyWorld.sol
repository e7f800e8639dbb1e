// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserProxyFactoryV6} from "../../src/UserProxyFactoryV6.sol";
import {UserProxyV6} from "../../src/UserProxyV6.sol";
import {IUserProxyV6} from "../../src/interfaces/IUserProxyV6.sol";
import {TestToken} from "../tokens/TestToken.sol";
import {Router} from "./Routers.sol";
import {Test} from "./Test.sol";

/// @notice A proxy with an owner, a router that does as it is told, and two tokens.
abstract contract ProxyWorld is Test {
    address internal constant OWNER = address(0x0A11CE);
    address internal constant STRANGER = address(0xBAD);

    UserProxyFactoryV6 internal factory;
    UserProxyV6 internal implementation;
    IUserProxyV6 internal proxy;
    Router internal router;
    TestToken internal tokenIn;
    TestToken internal tokenOut;

    function setUp() public {
        implementation = new UserProxyV6();
        factory = new UserProxyFactoryV6(address(implementation));
        proxy = IUserProxyV6(factory.deploy(OWNER));
        router = new Router();
        tokenIn = new TestToken();
        tokenOut = new TestToken();
        tokenIn.mint(OWNER, 1e30);
        tokenOut.mint(address(router), 1e30);
        vm.deal(OWNER, 100 ether);
        vm.deal(address(router), 100 ether);
        vm.prank(OWNER);
        tokenIn.approve(address(proxy), type(uint256).max);
    }

    function _swap(uint256 amountIn, uint256 taken, uint256 paid)
        internal
        view
        returns (IUserProxyV6.Swap memory)
    {
        return _swapOf(address(tokenIn), amountIn, taken, address(tokenOut), paid);
    }

    function _swapFor(address receiver, uint256 amountIn, uint256 paid)
        internal
        view
        returns (IUserProxyV6.Swap memory swap)
    {
        swap = _swap(amountIn, amountIn, paid);
        swap.data = abi.encodeCall(
            Router.trade, (address(tokenIn), amountIn, address(tokenOut), paid, receiver)
        );
    }

    function _nativeOut(uint256 paid) internal view returns (IUserProxyV6.Swap memory) {
        return _swapOf(address(tokenIn), 1e18, 1e18, address(0), paid);
    }

    function _swapOf(address input, uint256 amountIn, uint256 taken, address output, uint256 paid)
        internal
        view
        returns (IUserProxyV6.Swap memory)
    {
        return IUserProxyV6.Swap({
            tokenIn: input,
            amountIn: amountIn,
            tokenOut: output,
            minOut: 1,
            spender: address(router),
            target: address(router),
            data: abi.encodeCall(Router.trade, (input, taken, output, paid, address(proxy))),
            deadline: block.timestamp
        });
    }

    function _assertEmpty(address input, address output) internal view {
        vm.assertEq(TestToken(input).balanceOf(address(proxy)), 0, "proxy's input");
        vm.assertEq(TestToken(output).balanceOf(address(proxy)), 0, "proxy's output");
        vm.assertEq(address(proxy).balance, 0, "proxy's native");
        vm.assertEq(TestToken(input).allowance(address(proxy), address(router)), 0, "allowance");
    }
}
