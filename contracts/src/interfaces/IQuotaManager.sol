// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Sale of quote quota
/// @notice Takes payments in one token at one price and says in events who paid for which key; balances
/// are kept off chain. Plain transfers of the token to this contract count as payments too.
/// No price setter, no owner; funds leave to the treasury only.
interface IQuotaManager {
    /// @param from Account that pays.
    /// @param validAfter Second after which the authorization holds.
    /// @param validBefore Second before which it holds.
    /// @param salt Makes the nonce unique; see `authorizationNonce`.
    /// @param signature The payer's EIP-3009 signature, an EOA's or an ERC-1271 wallet's.
    struct Authorization {
        address from;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 salt;
        bytes signature;
    }

    /// @notice Emitted once per purchase, beside the token's own transfer of `amount` to this contract.
    /// @param keyId Keccak-256 of the API key's public id; zero: not bound to a key.
    /// @param payer Account whose tokens paid.
    /// @param quotes Whole quotes bought.
    /// @param amount Raw payment received.
    /// @param ref The authorization's nonce, or zero.
    event QuotaPurchased(
        bytes32 indexed keyId, address indexed payer, uint256 quotes, uint256 amount, bytes32 ref
    );

    /// @notice Emitted when funds go to the treasury.
    event Withdrawn(address indexed token, uint256 amount);

    /// @notice Thrown by the constructor when an address or the price is zero.
    error InvalidConfiguration();

    /// @notice Thrown when a payment buys less than one quote.
    error AmountTooSmall(uint256 amount);

    /// @notice Thrown when a bound purchase names no key.
    error ZeroKey();

    /// @notice Thrown when less of the token arrived than was due.
    error Underpaid(uint256 received, uint256 due);

    /// @notice Thrown when `buyWithToken` is called with the payment token itself.
    error UsePaymentToken();

    /// @notice Thrown when the call's value is not amountIn (native input) or not zero (token input).
    error InvalidValue(uint256 value);

    /// @notice Thrown when swap data is no `SwapExecutor.swap` calldata.
    error InvalidSwapData();

    /// @notice Thrown when native currency comes from elsewhere than the executor.
    error NotExecutor();

    /// @notice Buys quota with `amount` of the payment token, not bound to a key: the key whose wallet is
    /// the payer may claim it.
    /// @return quotes Whole quotes bought.
    function buyWithUSDC(uint256 amount) external returns (uint256 quotes);

    /// @notice Buys quota with another token (zero: native), swapped through the executor first.
    /// @dev Of swapData only steps and deadline are used: input, output, minimum and recipient are this
    /// contract's own, so calldata quoted for anybody works, and none can send funds elsewhere.
    /// @param tokenIn Token pulled from the caller, or zero: the call's value.
    /// @param amountIn Raw amount of tokenIn.
    /// @param minUsdcOut Least payment the swap must bring.
    /// @param swapData Calldata of `SwapExecutor.swap`, as a quote to the payment token carries it.
    /// @return quotes Whole quotes bought.
    function buyWithToken(
        address tokenIn,
        uint256 amountIn,
        uint256 minUsdcOut,
        bytes calldata swapData
    ) external payable returns (uint256 quotes);

    /// @notice Buys whole quotes for one key; only that key can claim them.
    function buyFor(bytes32 keyId, uint256 quotes) external;

    /// @notice `buyFor` with an EIP-2612 permit of the caller.
    /// @dev A failing permit is ignored: somebody else may have submitted it, and the allowance decides.
    function buyForWithPermit(
        bytes32 keyId,
        uint256 quotes,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice `buyFor` with an EIP-3009 ReceiveWithAuthorization. Anyone may submit it: the signed nonce
    /// commits to the key, and only this contract can settle it.
    function buyForWithAuthorization(
        bytes32 keyId,
        uint256 quotes,
        Authorization calldata authorization
    ) external;

    /// @notice Sends the whole balance of a token (zero: native) to the treasury. Anyone may call.
    /// @return amount What was sent.
    function withdraw(address token) external returns (uint256 amount);

    /// @notice The nonce a payer signs: keccak256(abi.encode(chainId, this contract, keyId, salt)).
    function authorizationNonce(bytes32 keyId, bytes32 salt) external view returns (bytes32 nonce);

    /// @notice The payment token.
    function TOKEN() external view returns (address);

    /// @notice Price of one quote in raw units of the payment token.
    function AMOUNT_PER_QUOTE() external view returns (uint256);

    /// @notice Where all funds go.
    function TREASURY() external view returns (address);

    /// @notice The executor `buyWithToken` swaps through.
    function EXECUTOR() external view returns (address);
}
