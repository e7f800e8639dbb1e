/** Raised when a family's record changes: texts of another version are read from the chain again. */
export const recordVersion = 6

/** Stands among the rows of pools, which it is true for, and is the id of none. */
export const scanRow = 'creations'
