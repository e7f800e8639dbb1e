// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestToken.sol";
import {FixedPrice, PaidFirst} from "./FixedPrice.sol";
import {V2Pair} from "./V2Pair.sol";

/// @notice Aerodrome's and Camelot's way: the pair itself tells the output, its reserves are wider.
contract SolidlyPair is V2Pair {
    constructor(address tokenA, address tokenB, uint256 feePips) V2Pair(tokenA, tokenB, feePips) {}

    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) =
            tokenIn == token0 ? (_reserve0, _reserve1) : (_reserve1, _reserve0);
        uint256 kept = amountIn - amountIn * FEE_PIPS / 1e6;
        // One less than the invariant allows, so that its own check never fails on the fee's rounding.
        uint256 amountOut = kept * reserveOut / (reserveIn + kept);
        return amountOut == 0 ? 0 : amountOut - 1;
    }
}

contract LiquidityBookPair is PaidFirst {
    constructor(address x, address y) PaidFirst(x, y) {}

    function swap(bool swapForY, address to) external returns (bytes32 amountsOut) {
        uint256 amountOut = _sell(swapForY ? tokenX : tokenY, to);
        amountsOut = bytes32(swapForY ? amountOut << 128 : amountOut);
    }
}

contract DodoPool is PaidFirst {
    constructor(address base, address quoteToken) PaidFirst(base, quoteToken) {}

    function sellBase(address to) external returns (uint256) {
        return _sell(tokenX, to);
    }

    function sellQuote(address to) external returns (uint256) {
        return _sell(tokenY, to);
    }
}

/// @notice Holds what Trident's pools trade; its shares are worth a third of what they stand for.
contract BentoBox {
    error SkimTooMuch();

    uint256 private constant WORTH = 3;

    mapping(address => mapping(address => uint256)) public balanceOf;
    mapping(address => uint256) private _counted;

    function deposit(address token, address from, address to, uint256 amount, uint256)
        external
        payable
        returns (uint256, uint256 shares)
    {
        uint256 uncounted = TestToken(token).balanceOf(address(this)) - _counted[token];
        if (from != address(this) || amount > uncounted) revert SkimTooMuch();
        _counted[token] += amount;
        shares = amount / WORTH;
        balanceOf[token][to] += shares;
        return (amount, shares);
    }

    function withdraw(address token, address to, uint256 amount) external {
        balanceOf[token][msg.sender] -= (amount + WORTH - 1) / WORTH;
        _counted[token] -= amount;
        TestToken(token).transfer(to, amount);
    }

    function amountOf(address token, address owner) external view returns (uint256) {
        return balanceOf[token][owner] * WORTH;
    }
}

contract TridentPool is FixedPrice {
    BentoBox public immutable BENTO;
    address private immutable _tokenX;
    address private immutable _tokenY;
    mapping(address => uint256) private _kept;

    constructor(address x, address y, BentoBox bento) {
        (_tokenX, _tokenY, BENTO) = (x, y, bento);
    }

    function sync() public {
        _kept[_tokenX] = BENTO.amountOf(_tokenX, address(this));
        _kept[_tokenY] = BENTO.amountOf(_tokenY, address(this));
    }

    function swap(bytes calldata data) external returns (uint256 amountOut) {
        (address tokenIn, address recipient,) = abi.decode(data, (address, address, bool));
        amountOut = quote(BENTO.amountOf(tokenIn, address(this)) - _kept[tokenIn]);
        BENTO.withdraw(tokenIn == _tokenX ? _tokenY : _tokenX, recipient, amountOut);
        sync();
    }
}

contract WooPool is PaidFirst {
    error FromAmountNotPaid();
    error TooLittle();

    constructor(address x, address y) PaidFirst(x, y) {}

    function swap(
        address fromToken,
        address toToken,
        uint256 fromAmount,
        uint256 minToAmount,
        address to,
        address
    ) external returns (uint256 amountOut) {
        if (_held(fromToken) - _reserves[fromToken] < fromAmount) {
            revert FromAmountNotPaid();
        }
        amountOut = quote(fromAmount);
        if (amountOut < minToAmount) revert TooLittle();
        _send(toToken, to, amountOut);
        sync();
    }
}
