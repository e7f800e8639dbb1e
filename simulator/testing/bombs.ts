import type { Address, Hex } from 'viem'

/** Runtime code of targets that mean harm, by what they do. */
export const bombs: Record<string, Hex> = {
  /** JUMPDEST PUSH0 JUMP */
  endlessLoop: '0x5b5f56',
  /** loop: MSTORE(m, 1); m += 32 */
  memoryGrowth: '0x5f5b60018152602001600156',
  /** loop: KECCAK256(0, 64 kB) */
  hashing: '0x5b620100005f20505f56',
  /** CALL(self) with all gas, at every depth */
  recursion: '0x5f5f5f5f5f305af15f5ff3',
  /** RETURN(0, 1.2 MB) */
  returnBomb: '0x6212c0005ff3',
  /** REVERT(0, 1.2 MB) */
  revertBomb: '0x6212c0005ffd',
  selfDestruct: '0x33ff',
  /** loop: SLOAD(i++): each a read of the real chain */
  coldStorage: '0x5f5b805450600101600156',
  /** loop: BALANCE(i++): each an account of the real chain */
  coldAccounts: '0x620100005b803150600101600456',
  /** loop: LOG0(0, 8 kB) */
  logs: '0x5b6120005fa05f56',
  /** loop: CREATE of empty code */
  creations: '0x5b5f5f5ff0505f56',
  /** loop: STATICCALL to the pairing precompile with 192 zero bytes */
  pairings: '0x5b5f5f60c05f60085afa505f56',
  /** loop: STATICCALL to modexp with huge lengths */
  modexp:
    '0x7f00000000000000000000000000000000000000000000000000000000000004005f527f00000000000000000000000000000000000000000000000000000000000004006020527f00000000000000000000000000000000000000000000000000000000000004006040525b5f5f610c605f60055afa50606b56',
}

export const bombAddress = (index: number): Address =>
  `0xb0b0${(index + 1).toString(16).padStart(36, '0')}`
