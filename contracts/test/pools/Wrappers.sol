// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestToken.sol";

/// @notice A vault of ERC-4626 whose shares are worth 1.07 of its asset.
contract Vault is TestToken {
    TestToken public immutable ASSET;
    uint256 private constant WORTH = 1.07e18;

    constructor(TestToken asset) {
        ASSET = asset;
    }

    function deposit(uint256 assets, address receiver) public virtual returns (uint256 shares) {
        shares = assets * 1e18 / WORTH;
        ASSET.transferFrom(msg.sender, address(this), assets);
        _balances[receiver] += shares;
    }

    function redeem(uint256 shares, address receiver, address owner)
        public
        virtual
        returns (uint256 assets)
    {
        if (owner != msg.sender) _spend(owner, shares);
        _balances[owner] -= shares;
        assets = shares * WORTH / 1e18;
        ASSET.transfer(receiver, assets);
    }
}

/// @notice A market of Aave v3.5 and later: balances are scaled, and rounded in its own favour.
contract AaveMarket {
    AToken public immutable A_TOKEN;
    uint256 public index = 1.123_456_789_012_345_678_901_234_567e27;

    constructor(TestToken asset) {
        A_TOKEN = new AToken(asset);
    }

    function setIndex(uint256 to) external {
        index = to;
    }

    function supply(address asset, uint256 amount, address onBehalfOf, uint16) external {
        TestToken(asset).transferFrom(msg.sender, address(A_TOKEN), amount);
        A_TOKEN.mint(onBehalfOf, amount);
    }

    function withdraw(address, uint256 amount, address to) external returns (uint256) {
        A_TOKEN.burn(msg.sender, to, amount);
        return amount;
    }
}

contract AToken is TestToken {
    error NothingMinted();

    TestToken private immutable ASSET;
    AaveMarket private immutable MARKET;
    uint256 private constant RAY = 1e27;

    constructor(TestToken asset) {
        (ASSET, MARKET) = (asset, AaveMarket(msg.sender));
    }

    /// @notice Mints what rounds down.
    function mint(address to, uint256 amount) external override {
        uint256 scaled = amount * RAY / MARKET.index();
        if (scaled == 0) revert NothingMinted();
        _balances[to] += scaled;
    }

    function burn(address from, address to, uint256 amount) external {
        _balances[from] -= _scaleUp(amount);
        ASSET.transfer(to, amount);
    }

    function balanceOf(address account) public view override returns (uint256) {
        return _balances[account] * MARKET.index() / RAY;
    }

    function scaledBalanceOf(address account) external view returns (uint256) {
        return _balances[account];
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, _scaleUp(amount));
    }

    function _scaleUp(uint256 amount) private view returns (uint256) {
        uint256 index = MARKET.index();
        return (amount * RAY + index - 1) / index;
    }
}

/// @notice A PSM3 of tokens with the same decimals, all at par.
contract Psm {
    function swapExactIn(
        address assetIn,
        address assetOut,
        uint256 amountIn,
        uint256,
        address receiver,
        uint256
    ) external returns (uint256) {
        TestToken(assetIn).transferFrom(msg.sender, address(this), amountIn);
        TestToken(assetOut).transfer(receiver, amountIn);
        return amountIn;
    }
}
