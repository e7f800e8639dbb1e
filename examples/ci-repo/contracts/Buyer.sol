// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface ISwapRouter02 {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256 amountOut);
}

/// Buys USDC for whoever sends ETH.
contract Buyer {
    ISwapRouter02 public constant ROUTER = ISwapRouter02(0x2626664c2603336E57B271c5C0b26F421741e481);
    address public constant WETH = 0x4200000000000000000000000000000000000006;
    address public constant USDC = 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;

    function buy(uint256 atLeast) external payable returns (uint256 bought) {
        bought = ROUTER.exactInputSingle{value: msg.value}(
            ISwapRouter02.ExactInputSingleParams(WETH, USDC, 500, msg.sender, msg.value, atLeast, 0)
        );
    }
}
